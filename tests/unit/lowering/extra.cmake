# What is lowered is run, and assembled.
target_link_libraries(unit_lowering PRIVATE tilec_target)
