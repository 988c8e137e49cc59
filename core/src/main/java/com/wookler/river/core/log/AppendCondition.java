package com.wookler.river.core.log;

/** Decides under the append lock whether a document is appended. */
@FunctionalInterface
public interface AppendCondition {
  /** Throws unless a document may be appended whose first sequence is this one. */
  void check(long sequence);
}
