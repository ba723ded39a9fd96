// placeholder, replaced by the folder's real sources
