package com.wookler.river.core.inspect;

/** Hears how far a walk has come; called by the thread that walks. */
public interface Progress {
  /** Hears nothing. */
  Progress NONE =
      new Progress() {
        @Override
        public void total(long bytes) {}

        @Override
        public void done(long bytes) {}
      };

  /** About so many bytes are to be read. */
  void total(long bytes);

  /** So many bytes more have been read. */
  void done(long bytes);
}
