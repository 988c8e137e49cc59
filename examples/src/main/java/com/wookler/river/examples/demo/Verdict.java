package com.wookler.river.examples.demo;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.examples.demo.Ledger.Reason;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a subscriber's ledger comes to.
 *
 * @param subscriber its name
 * @param events how many events there are
 * @param distinct how many of them came at least once
 * @param repeated how many of them came more than once
 * @param reasons how many deliveries were left unfinished, and why
 * @param violationCount how often something was not as promised
 * @param violations the first of these, in words
 */
record Verdict(
    String subscriber,
    int events,
    int distinct,
    int repeated,
    Map<Reason, Integer> reasons,
    int violationCount,
    List<String> violations) {

  boolean holds() {
    return violationCount == 0;
  }

  /** In one line. */
  String summary() {
    String why =
        new TreeMap<>(reasons)
            .entrySet().stream()
                .map(e -> String.format(Locale.ROOT, "%,d %s", e.getValue(), e.getKey().words))
                .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%,d of %s, lost %,d, more than once %,d%s%s",
        distinct,
        Amount.grouped(events, "event"),
        events - distinct,
        repeated,
        why.isEmpty() ? "" : " (" + why + ")",
        holds() ? ", in order, unchanged" : ", BROKEN " + Amount.of(violationCount, "time"));
  }
}
