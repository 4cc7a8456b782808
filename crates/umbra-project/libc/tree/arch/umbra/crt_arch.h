/* The entry point is native code of its own (native/start.S). */
