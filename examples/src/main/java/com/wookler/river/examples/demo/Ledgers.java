package com.wookler.river.examples.demo;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The ledger of each {@link Role}. Thread-safe. */
final class Ledgers {
  private final Map<Role, Ledger> ledgers = new EnumMap<>(Role.class);

  Ledgers(int events, int publishers) {
    for (Role role : Role.values()) {
      ledgers.put(role, new Ledger(role.label, role.acks, events, publishers, role.consumers));
    }
  }

  Ledger of(Role role) {
    return Objects.requireNonNull(ledgers.get(role));
  }

  /** How many events are finished, over all subscribers. */
  long finished() {
    return ledgers.values().stream().mapToLong(Ledger::finished).sum();
  }

  /** How many deliveries were not the first of their event, over all subscribers. */
  long repeated() {
    return ledgers.values().stream().mapToLong(Ledger::repeated).sum();
  }

  /** What each comes to. Called when nobody delivers any more. */
  List<Verdict> verdicts(Published published) {
    return ledgers.values().stream().map(ledger -> ledger.verdict(published)).toList();
  }
}
