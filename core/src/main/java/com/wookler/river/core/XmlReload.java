package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.SubscriberExtension.Attachment;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Compares the queues of a file that was read again with those that run, opens what is new, and
 * changes what may change while they run; all or nothing.
 */
final class XmlReload {
  private static final Set<Option<?>> IN_CODE = // a new object each time the file is read
      Set.of(QueueOptions.CONVERTER, QueueOptions.INTERCEPTOR);

  private final Map<String, MessageQueue<?>> queues; // and those that are new, once opened
  private final List<Change> changes = new ArrayList<>();
  private final Map<MessageQueue<?>, Path> newQueues = new LinkedHashMap<>(); // and directories
  private final List<NewSubscriber> newSubscribers = new ArrayList<>();
  private final Map<String, List<String>> names; // of the subscribers of each queue
  private final List<String> changed = new ArrayList<>();
  private final List<String> added = new ArrayList<>();
  private final List<String> later = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();

  private record Change(Reconfiguration of, Changes to, Changes back) {}

  private record NewSubscriber(
      MessageQueue<?> queue, SubscriberConfig config, Map<String, Attachment> attachments) {}

  /**
   * Compares; nothing changes yet.
   *
   * @param before the names of the subscribers of each queue when the file was read before
   */
  XmlReload(
      ConfigNode root, Map<String, MessageQueue<?>> queues, Map<String, List<String>> before) {
    this.queues = new LinkedHashMap<>(queues);
    List<QueueConfig<?>> configs = QueueXml.readAll(root);
    this.names = QueueXml.subscribers(configs);
    for (QueueConfig<?> read : configs) {
      MessageQueue<?> queue = queues.get(read.name());
      if (queue == null || queue.state() == QueueState.STOPPED) {
        newQueues.put(new MessageQueue<>(read), read.directory().resolve(read.name()));
        added.add("queue " + read.name());
      } else {
        compare(read, queue);
      }
    }
    before.forEach(this::findMissing);
  }

  private void findMissing(String queue, List<String> subscribers) {
    List<String> now = names.get(queue);
    if (now == null) {
      missing.add("queue " + queue);
      return;
    }
    subscribers.stream()
        .filter(subscriber -> !now.contains(subscriber))
        .forEach(subscriber -> missing.add(who(queue, subscriber)));
  }

  private static String who(String queue, String subscriber) {
    return "queue " + queue + ", subscriber " + subscriber;
  }

  private void compare(QueueConfig<?> read, MessageQueue<?> queue) {
    RunningQueue<?> running = queue.running();
    Changes to = new Changes();
    Changes back = new Changes();
    Settings before = running.reconfiguration().settings();
    Settings after = before.changedTo(read.settings());
    to.set(before, after);
    back.set(after, before);
    String who = "queue " + read.name();
    keep(who, after.differences(before), changed);
    keep(who, after.differences(read.settings(), IN_CODE), later);
    for (SubscriberConfig subscriber : read.subscribers()) {
      Optional<SubscriberConfig> known = running.subscribers().config(subscriber.name());
      if (known.isPresent()) {
        compare(who(read.name(), subscriber.name()), known.get(), subscriber, to, back);
      } else {
        added.add(who(read.name(), subscriber.name()));
        Map<String, Attachment> attachments = new LinkedHashMap<>(read.attachments());
        attachments.keySet().retainAll(Set.of(subscriber.name()));
        newSubscribers.add(new NewSubscriber(queue, subscriber, attachments));
      }
    }
    changes.add(new Change(running.reconfiguration(), to, back));
  }

  private void compare(
      String who, SubscriberConfig known, SubscriberConfig read, Changes to, Changes back) {
    SubscriberEntries.refuseOther(who, known, read);
    Settings before = known.settings();
    Settings after = before.changedTo(read.settings());
    to.subscriber(read.name(), before, after);
    back.subscriber(read.name(), after, before);
    keep(who, after.differences(before), changed);
    keep(who, after.differences(read.settings(), aside(before, read.settings())), later);
  }

  /** Returns what is not compared: the start, and a filter in code, if its class is the same. */
  private static Set<Option<?>> aside(Settings before, Settings read) {
    Set<Option<?>> aside = new HashSet<>(Set.of(SubscriberOptions.START));
    Object filter = before.find(SubscriberOptions.FILTER);
    Object other = read.find(SubscriberOptions.FILTER);
    if (filter != null
        && other != null
        && filter.getClass() == other.getClass()
        && !(filter instanceof FilterExpression)) {
      aside.add(SubscriberOptions.FILTER);
    }
    return aside;
  }

  private static void keep(String who, List<String> differences, List<String> to) {
    differences.forEach(each -> to.add(who + ": " + each));
  }

  /** Opens what is new and makes the changes; where something fails, takes all of it back. */
  ReloadResult apply(Consumer<String> checkNew) {
    newQueues.keySet().forEach(queue -> checkNew.accept(queue.name()));
    changes.forEach(change -> change.of.check(change.to));
    Deque<Runnable> undo = new ArrayDeque<>();
    try {
      for (MessageQueue<?> queue : newQueues.keySet()) {
        boolean isNew = Files.notExists(Objects.requireNonNull(newQueues.get(queue)));
        queue.open(); // where it fails, what it has made may be another process's by now
        undo.push(() -> remove(queue, isNew));
        queues.put(queue.name(), queue);
      }
      for (NewSubscriber one : newSubscribers) {
        undo.push(() -> one.queue.running().subscribers().remove(one.config.name()));
        one.queue.running().subscribers().openCompleted(one.config);
      }
      for (Change change : changes) {
        undo.push(() -> change.of.apply(change.back));
        change.of.apply(change.to);
      }
      newQueues.keySet().forEach(MessageQueue::attach);
      newSubscribers.forEach(one -> one.queue.attach(one.attachments));
      return new ReloadResult(changed, added, later, missing);
    } catch (Throwable e) {
      FirstFailure failure = new FirstFailure();
      undo.forEach(step -> failure.run(step::run));
      failure.addTo(e);
      throw e;
    }
  }

  /** Closes a queue that is not to run, and deletes it if it was made and has got no message. */
  private static void remove(MessageQueue<?> queue, boolean made) {
    if (made && queue.running().endsEmpty()) {
      queue.delete();
    } else {
      queue.close();
    }
  }

  /** Returns all queues, once they are open: those that are new come last. */
  Map<String, MessageQueue<?>> queues() {
    return queues;
  }

  /** Returns the names of the subscribers of each queue in the file. */
  Map<String, List<String>> names() {
    return names;
  }
}
