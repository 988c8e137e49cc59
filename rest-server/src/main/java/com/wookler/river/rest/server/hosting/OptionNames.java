package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Translates the names of options in texts, for callers who know those of the contract only. */
final class OptionNames {
  private static final Pattern PARAMETER = Pattern.compile("\\b(queue|subscriber)(\\.[a-z]+)+");

  private OptionNames() {}

  /** Returns a text about settings with the names that its parameters have in JSON. */
  static String withJson(@Nullable String text) {
    String whole = String.valueOf(text);
    String names =
        PARAMETER
            .matcher(whole)
            .results()
            .map(MatchResult::group)
            .map(OptionNames::json)
            .filter(Objects::nonNull)
            .distinct()
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? whole : whole + " (in JSON: " + names + ")";
  }

  private static @Nullable String json(String parameter) {
    return Stream.of(QueueOptions.TABLE, SubscriberOptions.TABLE)
        .map(OptionTable::rows)
        .flatMap(rows -> rows.stream())
        .filter(option -> option.name().equals(parameter) && !option.json().isEmpty())
        .map(option -> option.json())
        .findFirst()
        .orElse(null);
  }
}
