package com.wookler.river.tools.inspect;

/** Is called with the progress of a verification or copy, by its thread. */
public interface Progress {
  /** Does nothing. */
  Progress NONE =
      new Progress() {
        @Override
        public void total(long bytes) {}

        @Override
        public void done(long bytes) {}
      };

  /** Reports how many bytes are to be read, about. */
  void total(long bytes);

  /** Reports that more bytes have been read. */
  void done(long bytes);
}
