package com.wookler.river.examples.demo;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.examples.demo.DeliveryRecord.Reason;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of checking the deliveries to a subscriber.
 *
 * @param subscriber its name
 * @param events number of events
 * @param distinct number of events delivered at least once
 * @param repeated number of events delivered more than once
 * @param reasons number of uncompleted deliveries, by reason
 * @param violationCount number of violations
 * @param violations the first violations, in words
 */
record SubscriberResult(
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

  /** Returns the result in one line. */
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
