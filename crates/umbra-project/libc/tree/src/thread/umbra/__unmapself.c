/* Native code (see native/), external to the bitcode. */
