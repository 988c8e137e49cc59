package com.wookler.river.core;

/** The stages of opening a queue, each of which needs those before it. */
enum Stage {
  /** Where messages are kept and found: directory, threads, backups, log, look-ups, key index. */
  STORAGE,
  /** What reads the log and gives messages away: subscribers, dead letters, forwards, expiry. */
  DELIVERY,
  /** What a publish asks besides the log: ids, delayed messages, what came from elsewhere. */
  ACCEPTANCE,
  /** What runs in the background: forces, archiving, removal, housekeeping. */
  MAINTENANCE,
  /** What calls into the queue from outside: publishers, other queues, attachments, counters. */
  SERVICE
}
