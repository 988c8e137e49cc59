package com.wookler.river.jdbc;

import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import java.time.Duration;

/**
 * The options of a relay, one row each: the builder's checks, XML, the schema and
 * docs/configuration.md are generated from these rows.
 */
final class OutboxOptions {
  /** All options of a relay. */
  static final OptionTable TABLE = new OptionTable("outbox");

  static final Option<String> URL =
      TABLE
          .text("outbox.url")
          .dflt(null, "–")
          .unit("JDBC URL")
          .means("the database; in Java the `DataSource`. Its driver is on the class path");

  static final Option<String> USER =
      TABLE.text("outbox.user").dflt(null, "–").means("its user, if the URL does not say it");

  static final Option<String> PASSWORD =
      TABLE.text("outbox.password").dflt(null, "–").means("of the user; best as `${env:…}`");

  static final Option<String> NAME =
      TABLE
          .text("outbox.table")
          .dflt(Outbox.DEFAULT_TABLE)
          .java("table(String)")
          .allowed("letters, digits and `_`, perhaps after a schema and a dot")
          .means("the table; two more, `_relay` and `_lease` at the end, belong to it");

  static final Option<Boolean> CREATE =
      TABLE
          .flag("outbox.create", false)
          .java("create(boolean)")
          .means("whether the relay creates the tables if they are missing");

  static final Option<Long> BATCH_MESSAGES =
      TABLE
          .number("outbox.batch.messages", "messages")
          .dflt("500")
          .between("1", "2000")
          .java("batchMessages(int)")
          .means("messages that are moved with one force and one transaction");

  static final Option<Long> BATCH_BYTES =
      TABLE
          .bytes("outbox.batch.bytes")
          .dflt("4MB")
          .between("1", "256MB")
          .java("batchBytes(long)")
          .means("bytes of data of them, but for a message that is larger, which is moved alone");

  static final Option<Duration> POLL =
      TABLE
          .duration("outbox.poll")
          .dflt("200ms")
          .between("1ms", "1hh")
          .java("poll(Duration)")
          .means(
              "pause between two looks for messages; PostgreSQL notifies of them without waiting");

  static final Option<Duration> LEASE =
      TABLE
          .duration("outbox.lease")
          .dflt("10ss")
          .between("0ms", "1hh")
          .java("lease(Duration)")
          .means(
              "of several instances one moves; another one begins when it has been silent for so"
                  + " long. `0ms`: they move in turn");

  static final Option<Duration> PAUSE =
      TABLE
          .duration("outbox.pause")
          .dflt("5ss")
          .between("100ms", "1hh")
          .java("pause(Duration)")
          .means(
              "longest pause after a failure; the first is 100 ms, each further one twice as long");

  static {
    TABLE.end();
  }

  private OutboxOptions() {}
}
