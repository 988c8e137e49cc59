package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Values of options for queues and subscribers that say nothing else, by patterns of their names,
 * in which {@code *} stands for any characters and {@code ?} for one. Of several defaults that fit
 * a name the last one counts, option by option. A default that would have no effect is left out.
 * Immutable.
 */
public final class Defaults {
  /** No defaults but those of the options. */
  public static final Defaults NONE = new Defaults(List.of());

  private static final String ELEMENT = "defaults";
  private static final String SUBSCRIBER = "subscriber";
  private static final Pattern PATTERN = Pattern.compile("[A-Za-z0-9._*?-]+");

  private final List<Rule> rules;

  /** Without a pattern of subscribers it is one for queues. */
  private record Rule(
      Pattern queues,
      @Nullable Pattern subscribers,
      Settings settings,
      Optional<ConfigNode> recycle) {
    boolean fits(String queue) {
      return subscribers == null && queues.matcher(queue).matches();
    }

    boolean fits(String queue, String subscriber) {
      return subscribers != null
          && queues.matcher(queue).matches()
          && subscribers.matcher(subscriber).matches();
    }
  }

  private Defaults(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  private Defaults with(Rule rule) {
    List<Rule> more = new ArrayList<>(rules);
    more.add(rule);
    return new Defaults(more);
  }

  /** Returns the same with a default of an option of {@link QueueOptions}, which comes last. */
  public <T> Defaults queue(String queues, Option<T> option, T value) {
    Settings settings = QueueOptions.TABLE.defaults().with(option, value);
    settings.checkRanges(ELEMENT);
    return with(new Rule(pattern(queues), null, settings, Optional.empty()));
  }

  /** Returns the same with a default of an option of {@link SubscriberOptions}, as the last. */
  public <T> Defaults subscriber(String queues, String subscribers, Option<T> option, T value) {
    Settings settings = SubscriberOptions.TABLE.defaults().with(option, value);
    settings.checkRanges(ELEMENT);
    return with(new Rule(pattern(queues), pattern(subscribers), settings, Optional.empty()));
  }

  /**
   * Reads the {@code <defaults>} of a file.
   *
   * @param root of the file
   * @throws ConfigurationException one is wrong, naming file, line and parameter
   */
  public static Defaults of(ConfigNode root) {
    Defaults all = NONE;
    for (ConfigNode node : root.children(ELEMENT)) {
      try {
        all = all.with(read(node));
      } catch (ConfigurationException e) {
        throw node.located(e);
      }
    }
    return all;
  }

  private static Rule read(ConfigNode node) {
    node.allowAttributes(List.of("queue", SUBSCRIBER));
    Optional<String> subscribers = node.attribute(SUBSCRIBER);
    Optional<String> queues = node.attribute("queue");
    if (queues.isEmpty() && subscribers.isEmpty()) {
      throw node.error("needs the attribute 'queue' or 'subscriber', a pattern of names");
    }
    node.allowChildren(
        subscribers.isPresent() ? List.of("params") : List.of("params", "recycle", "backup"));
    OptionTable table = subscribers.isPresent() ? SubscriberOptions.TABLE : QueueOptions.TABLE;
    Settings settings = table.read(node, table.toString(), table.defaults(), List.of());
    Optional<ConfigNode> backup = node.child("backup");
    if (backup.isPresent()) {
      backup.get().allowChildren(List.of("params"));
      settings = table.read(backup.get(), settings, List.of());
    }
    settings.checkRanges(ELEMENT);
    return new Rule(
        pattern(queues.orElse("*")),
        subscribers.map(Defaults::pattern).orElse(null),
        settings,
        node.child("recycle"));
  }

  private static Pattern pattern(String names) {
    if (!PATTERN.matcher(names).matches()) {
      throw new ConfigurationException(
          "'" + names + "' is no pattern of names: letters, digits, . _ - and * or ? are allowed");
    }
    return Pattern.compile(
        names.replace(".", "\\.").replace("*", ".*").replace("?", ".")); // no other is special
  }

  /** Returns the settings of a queue that says nothing. */
  public Settings queue(String name) {
    Settings settings = QueueOptions.TABLE.defaults();
    for (Rule rule : rules) {
      settings = rule.fits(name) ? settings.withGiven(rule.settings) : settings;
    }
    return settings;
  }

  /** Returns the settings of a subscriber that says nothing. */
  public Settings subscriber(String queue, String name) {
    Settings settings = SubscriberOptions.TABLE.defaults();
    for (Rule rule : rules) {
      settings = rule.fits(queue, name) ? settings.withGiven(rule.settings) : settings;
    }
    return settings;
  }

  /** Returns the strategy of a queue that says nothing. */
  Optional<ConfigNode> recycle(String queue) {
    return rules.stream()
        .filter(rule -> rule.fits(queue) && rule.recycle.isPresent())
        .reduce((first, last) -> last)
        .flatMap(Rule::recycle);
  }
}
