package com.wookler.river.common.file;

import java.util.Optional;

/** Whether the directory of a log is this process's own still. */
public interface OwnershipCheck {
  /** Of a log that nothing else can reach. */
  OwnershipCheck UNDISPUTED =
      new OwnershipCheck() {
        @Override
        public Optional<String> lost() {
          return Optional.empty();
        }

        @Override
        public void renew() {}
      };

  /**
   * Returns why the directory is not this process's own any more, and what to do; empty if it is,
   * or if that cannot be found out now. Reads files; may be called from any thread.
   */
  Optional<String> lost();

  /** Restores what protects the directory, as far as other code can end it; for housekeeping. */
  void renew();
}
