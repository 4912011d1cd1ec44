"""AutoFusion: several ways to see clusters in several views, and the choice among them."""
