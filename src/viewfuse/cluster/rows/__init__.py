"""Row sources of AnchorGFSC: memory and files, tensors on a device, and Dask workers, behind one interface."""
