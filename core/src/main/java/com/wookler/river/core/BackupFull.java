package com.wookler.river.core;

/** What becomes of a block that all have completed, but for whose backup there is no space. */
public enum BackupFull {
  /** It stays in the log until there is space. */
  KEEP,
  /** It is deleted without a backup, with a warning, after several tries. */
  DELETE
}
