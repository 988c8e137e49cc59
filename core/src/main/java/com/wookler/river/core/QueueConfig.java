package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.CapacityLimits;
import com.wookler.river.core.log.LogSettings;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that is configured of one queue, checked: a value for each row of {@link QueueOptions}, and
 * what is no text.
 */
final class QueueConfig<M> {
  static final RecycleStrategy WHEN_FULL = block -> false;

  private static final int BLOCK_PER_MESSAGE = 4;
  private static final long MOST_DEFAULT_RESERVE = 256L << 20;
  private static final int RESERVED_PART = 20; // of the volume: 5 %

  private final String name;
  private final MessageConverter<M> converter;
  private volatile Settings settings; // written by one at a time, which holds RunningQueue's lock
  private final RecycleStrategy recycle;
  private final Start start;
  private final TimeSource time;

  /**
   * The subscribers that exist from the start, and what is started with them, by their names; and
   * what is given for the parts of extensions.
   */
  record Start(
      List<SubscriberConfig> subscribers,
      Map<String, SubscriberExtension.Attachment> attachments,
      List<QueueExtension.Setting> given,
      Defaults defaults) {
    static final Start EMPTY = new Start(List.of(), Map.of(), List.of(), Defaults.NONE);

    Start {
      subscribers = List.copyOf(subscribers);
      attachments = Map.copyOf(attachments);
      given = List.copyOf(given);
    }
  }

  /** Checks what is configured. */
  QueueConfig(
      String name,
      MessageConverter<M> converter,
      Settings settings,
      RecycleStrategy recycle,
      Start start,
      TimeSource time) {
    this.name = name;
    this.converter = converter;
    this.settings = settings;
    this.recycle = recycle == WHEN_FULL ? recycle(settings) : recycle;
    this.start = start;
    this.time = time;
    settings.check("queue " + name);
    checkSubscribers();
    checkForward();
    checkBackup();
    start.given().forEach(each -> each.check(name, settings));
    String expiryQueue = find(QueueOptions.EXPIRY_QUEUE);
    if (expiryQueue != null) {
      checkOther(name, QueueOptions.EXPIRY_QUEUE.name(), expiryQueue);
    }
    Path ehcache = find(QueueOptions.EHCACHE);
    check(
        name,
        ehcache == null || Files.isReadable(ehcache),
        "ehcache.config: there is no readable file "
            + (ehcache == null ? "" : ehcache.toAbsolutePath()));
  }

  /** Returns these values after a change, checked. */
  Settings changed(UnaryOperator<Settings> change) {
    Settings changed = change.apply(settings);
    return new QueueConfig<>(name, converter, changed, recycle, start, time).settings;
  }

  /** Takes other values of options that may change while the queue runs. */
  void become(Settings changed) {
    settings = changed;
  }

  Settings settings() {
    return settings;
  }

  String name() {
    return name;
  }

  MessageConverter<M> converter() {
    return converter;
  }

  TimeSource time() {
    return time;
  }

  List<SubscriberConfig> subscribers() {
    return start.subscribers();
  }

  Map<String, SubscriberExtension.Attachment> attachments() {
    return start.attachments();
  }

  List<QueueExtension.Setting> given() {
    return start.given();
  }

  /** Returns the settings with the defaults for what they leave out. */
  SubscriberConfig completed(SubscriberConfig given) {
    Settings defaults = start.defaults().subscriber(name, given.name());
    return defaults.given().isEmpty()
        ? given
        : SubscriberConfig.builder(given.name()).settings(given.settings().or(defaults)).build();
  }

  Path directory() {
    return get(QueueOptions.DIRECTORY);
  }

  /** Returns the directory of a queue beside this one. */
  Path path(String queue) {
    return directory().resolve(queue).toAbsolutePath().normalize();
  }

  /** Returns the queues to which it forwards, or that take what expires. */
  List<String> transfersTo() {
    Stream<String> expiry = expiryQueues(settings, subscribers().stream()).stream();
    return Stream.concat(get(QueueOptions.FORWARD).stream(), expiry).toList();
  }

  <T> T get(Option<T> option) {
    return settings.get(option);
  }

  <T> @Nullable T find(Option<T> option) {
    return settings.find(option);
  }

  Retention retention() {
    return Retention.of(settings);
  }

  CapacityLimits capacity() {
    return new CapacityLimits(
        get(QueueOptions.MAX_MESSAGES),
        get(QueueOptions.MAX_BYTES),
        get(QueueOptions.FULL_POLICY) == FullPolicy.DISCARD_OLDEST);
  }

  boolean isLimited() {
    return get(QueueOptions.MAX_MESSAGES) != Long.MAX_VALUE
        || get(QueueOptions.MAX_BYTES) != Long.MAX_VALUE;
  }

  /** Returns how much it may hold, as error texts name it. */
  String limits() {
    long messages = get(QueueOptions.MAX_MESSAGES);
    long bytes = get(QueueOptions.MAX_BYTES);
    String both = messages == Long.MAX_VALUE ? "" : "queue.max.messages=" + messages;
    return bytes == Long.MAX_VALUE
        ? both
        : both + (both.isEmpty() ? "" : ", ") + "queue.max.bytes=" + bytes;
  }

  /** Returns after how many microseconds a message expires; the greatest number: never. */
  long maxAgeMicros() {
    long nanos = get(QueueOptions.MAX_AGE).toNanos();
    return nanos == 0 ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.toMicros(nanos);
  }

  LogSettings logSettings(DataDirectory own) {
    return new LogSettings(
        name,
        own.identity(),
        own.log(),
        blockBytes(),
        recycle,
        diskReserve(own.path()),
        time,
        Delays.largest(own.delayed(), own.log()),
        own.lock());
  }

  /** Returns the size at which a block is closed, large enough for the largest message. */
  private long blockBytes() {
    return Math.max(
        get(QueueOptions.BLOCK_BYTES), BLOCK_PER_MESSAGE * get(QueueOptions.MAX_MESSAGE_BYTES));
  }

  /**
   * Returns the bytes that blocks leave free on the volume of this directory; a block more where
   * the backup is on it too, as a block must be backed up before its space is free.
   */
  private long diskReserve(Path own) {
    Long given = find(QueueOptions.DISK_RESERVE);
    if (given != null) {
      return given;
    }
    long reserve = Math.min(MOST_DEFAULT_RESERVE, own.toFile().getTotalSpace() / RESERVED_PART);
    Path backup = find(QueueOptions.BACKUP_DIRECTORY);
    return backup != null && onOneVolume(own, backup) ? reserve + blockBytes() : reserve;
  }

  private static boolean onOneVolume(Path directory, Path other) {
    try {
      return DurableFiles.onOneVolume(directory, other);
    } catch (IOException e) {
      return true; // the larger reserve does no harm
    }
  }

  /** Returns the strategy of the built-in ones that these settings say: whichever is due first. */
  static RecycleStrategy recycle(Settings settings) {
    Long messages = settings.find(QueueOptions.RECYCLE_MESSAGES);
    Long bytes = settings.find(QueueOptions.RECYCLE_BYTES);
    Duration age = settings.find(QueueOptions.RECYCLE_AGE);
    return Stream.of(
            Optional.ofNullable(messages).map(SizeBasedRecycle::ofMessages),
            Optional.ofNullable(bytes).map(SizeBasedRecycle::ofBytes),
            Optional.ofNullable(age).map(TimeBasedRecycle::every))
        .<RecycleStrategy>flatMap(Optional::stream)
        .reduce(RecycleStrategy::or)
        .orElse(WHEN_FULL);
  }

  /** Reads the parameters of a {@code <recycle>} element that names a built-in strategy. */
  static Settings readRecycle(ConfigNode node) {
    Settings read = QueueOptions.TABLE.read(node, QueueOptions.TABLE.defaults(), List.of());
    try {
      read.check("the strategy");
      recycle(read);
      return read;
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  private void checkSubscribers() {
    Set<String> names = new HashSet<>();
    for (SubscriberConfig subscriber : subscribers()) {
      Names.check("subscriber", subscriber.name());
      checkExpiryQueue(name, subscriber);
      boolean isNew = names.add(subscriber.name().toLowerCase(Locale.ROOT));
      check(name, isNew, "there are two subscribers of the name " + subscriber.name());
    }
  }

  private void checkForward() {
    List<String> queues = get(QueueOptions.FORWARD);
    Set<String> names = new HashSet<>();
    for (String queue : queues) {
      checkOther(name, QueueOptions.FORWARD.name(), queue);
      boolean isNew = names.add(queue.toLowerCase(Locale.ROOT));
      check(name, isNew, "queue.forward names " + queue + " twice");
    }
    if (get(QueueOptions.FANOUT_ONLY)) {
      String what = "queue.fanout.only is true, ";
      check(name, !queues.isEmpty(), what + "and queue.forward names no queue");
      String to = String.join(", ", queues);
      check(name, subscribers().isEmpty(), what + "so it has no subscribers; subscribe to " + to);
    }
  }

  /** Refuses subscribers of a queue that is there for forwarding alone. */
  void refuseSubscriber(String who) {
    String to = String.join(", ", get(QueueOptions.FORWARD));
    String what = "has queue.fanout.only: %s cannot subscribe to it; subscribe to %s";
    check(name, !get(QueueOptions.FANOUT_ONLY), what.formatted(who, to));
  }

  private void checkBackup() {
    Path backup = find(QueueOptions.BACKUP_DIRECTORY);
    if (backup != null) {
      Path own = directory().resolve(name).toAbsolutePath().normalize();
      Path target = backup.toAbsolutePath().normalize().resolve(name);
      check(
          name,
          !own.startsWith(target) && !target.startsWith(own),
          "backup.directory " + backup + " is, holds or lies in the queue's own directory " + own);
    }
  }

  /** Returns the queues that take what expires in a queue with these settings and subscribers. */
  static List<String> expiryQueues(Settings queue, Stream<SubscriberConfig> subscribers) {
    return Stream.concat(
            Stream.ofNullable(queue.find(QueueOptions.EXPIRY_QUEUE)),
            subscribers.flatMap(each -> Stream.ofNullable(each.expiryQueue())))
        .toList();
  }

  /** Refuses a subscriber whose expired messages or dead letters could go nowhere. */
  static void checkExpiryQueue(String queue, SubscriberConfig subscriber) {
    String name = subscriber.expiryQueue();
    if (name != null) {
      checkOther(queue, "subscriber.expiry.queue of " + subscriber.name(), name);
    }
    String dead = subscriber.deadLetterQueue();
    if (dead != null) {
      checkOther(queue, "subscriber.dead.queue of " + subscriber.name(), dead);
    }
  }

  /** Refuses a name that an option gives of another queue. */
  static void checkOther(String queue, String param, String other) {
    Names.check(queue, param, other);
    check(queue, !other.equalsIgnoreCase(queue), param + " is the queue itself; name another");
    String needs = param + " needs the module river-forward on the class path";
    check(queue, !Extensions.ofQueues().isEmpty(), needs);
  }

  private static void check(String name, boolean right, String what) {
    if (!right) {
      throw new ConfigurationException("queue " + name + ": " + what);
    }
  }
}
