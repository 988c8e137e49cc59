package com.wookler.river.forward;

/** What a forward does with a message over which its filter or its mapping fails. */
public enum OnFailure {
  /** Passes it over, counted: it stays in the source only. */
  SKIP,
  /** Forwards it as it was published, counted. */
  PASS,
  /** Waits, and what follows with it, until filter or mapping are others. */
  WAIT
}
