package com.wookler.river.spring;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.Settings;
import java.util.Map;

/** Reads options that are given as texts, by the names of their table. */
final class OptionTexts {
  private OptionTexts() {}

  /**
   * Adds the values of texts to settings.
   *
   * @param where the property or annotation, for errors
   * @throws ConfigurationException an option is unknown, or its value cannot be read
   */
  static Settings add(
      Settings settings, OptionTable table, Map<String, String> texts, String where) {
    Settings all = settings;
    for (Map.Entry<String, String> each : texts.entrySet()) {
      Option<?> option =
          table
              .row(each.getKey())
              .orElseThrow(
                  () ->
                      new ConfigurationException(
                          "%s: '%s' is not an option of a %s; docs/configuration.md lists them"
                              .formatted(where, each.getKey(), table)));
      all = with(all, option, each.getValue().trim(), where);
    }
    return all;
  }

  private static <T> Settings with(Settings to, Option<T> option, String text, String where) {
    try {
      return to.with(option, option.type().parse(text));
    } catch (ConfigurationException e) {
      throw new ConfigurationException(where + ": " + option.name() + " " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(
          "%s: %s cannot be '%s'".formatted(where, option.name(), text), e);
    }
  }
}
