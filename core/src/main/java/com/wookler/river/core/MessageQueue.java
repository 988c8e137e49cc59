package com.wookler.river.core;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.common.utils.Require;
import com.wookler.river.core.SubscriberExtension.Attachment;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Shortage;
import com.wookler.river.core.message.ConflictException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.ContinuationTarget;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A durable queue in this JVM: publishers append to a log on local disk, any number of subscribers
 * read it at their own speed.
 *
 * <pre>{@code
 * try (MessageQueue<String> orders =
 *     MessageQueue.builder("orders", MessageConverter.utf8()).directory(Path.of("data")).open()) {
 *   Subscriber<String> billing =
 *       orders.subscriber(SubscriberConfig.builder("billing").ack(true).build());
 *   orders.publisher().publish("order 1");
 *   Delivery<String> delivery = billing.next(Duration.ofSeconds(1));
 *   delivery.ack();
 * }
 * }</pre>
 *
 * <p>Made by the {@link #builder}, or in two steps from XML: {@link #MessageQueue()}, {@link
 * #configure}, {@link #start}. Thread-safe. One queue owns its directory; a second one, in this
 * process or another, is refused. What was published is kept until every subscriber has completed
 * it; without subscribers it is kept for good, unless a retention, a limit that discards, or {@link
 * Builder#fanoutOnly} says otherwise.
 *
 * <p>Methods that need the running queue throw {@link IllegalStateException} before {@link #start},
 * and {@link QueueClosedException} after {@link #close}.
 *
 * @param <M> type of the data
 */
public final class MessageQueue<M> implements Configurable, ContinuationTarget<M>, AutoCloseable {
  private final Listeners listeners = new Listeners();
  private final QueueLifecycle<M> lifecycle = new QueueLifecycle<>(listeners);
  private final @Nullable ReadOnlyQueue<M> view; // of a queue that is open elsewhere; else null

  /** A queue that knows nothing yet: {@link #configure} it, then {@link #start} it. */
  public MessageQueue() {
    this.view = null;
  }

  MessageQueue(QueueConfig<M> config) {
    this.view = null;
    lifecycle.configure(config);
  }

  private MessageQueue(ReadOnlyQueue<M> view) {
    this.view = view;
  }

  /**
   * Opens a queue to read only, without its lock: a writer in another process, or in this one, is
   * followed and does not notice. Such a queue has {@link #read(long, int)}, {@link #read(long)},
   * {@link #name}, {@link #converter}, {@link #state} and {@link #close}; everything else throws
   * {@link IllegalStateException}. It reads the log alone: {@link River#openReadOnly(Path, Path)}
   * has a view that reads backups too, and says what it has missed.
   *
   * @param directory the base directory, as for {@link Builder#directory}
   * @throws ConfigurationException there is no such queue
   */
  public static <M> MessageQueue<M> openReadOnly(
      String name, Path directory, MessageConverter<M> converter) {
    return new MessageQueue<>(ReadOnlyQueue.open(name, directory, converter));
  }

  /**
   * Starts from the defaults. A name is 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first no {@code
   * .} or {@code -}.
   */
  public static <M> Builder<M> builder(String name, MessageConverter<M> converter) {
    return new Builder<>(name, converter);
  }

  /**
   * Takes the settings of a {@code <queue>} element; touches nothing on disk.
   *
   * @throws ConfigurationException naming file, line, element and parameter; the queue is unchanged
   * @throws IllegalStateException the queue was started or closed
   */
  @Override
  public void configure(ConfigNode node) {
    lifecycle.configure(QueueXml.read(Objects.requireNonNull(node, "node"), Defaults.NONE));
  }

  /**
   * Opens the directory, recovers what the last run left, and begins to work; all or nothing.
   *
   * @throws com.wookler.river.core.message.QueueLockedException the directory is in use
   * @throws ConfigurationException it was not configured, or the settings do not fit what is on
   *     disk
   * @throws com.wookler.river.common.errors.RiverException the directory cannot be used; nothing
   *     stays open
   * @throws IllegalStateException the queue runs already or was closed
   */
  public void start() {
    lifecycle.start(true);
  }

  /** Starts all but what works for its subscribers: {@link #attach} follows. */
  void open() {
    lifecycle.start(false);
  }

  /** Starts what works for its subscribers, which may publish into other queues. */
  void attach() {
    lifecycle.attach();
  }

  /** Starts what works for subscribers that it got while it runs. */
  void attach(Map<String, Attachment> attachments) {
    lifecycle.attach(attachments);
  }

  RunningQueue<M> running() {
    if (view != null) {
      throw new IllegalStateException("queue " + view.name() + " is open to read only");
    }
    return lifecycle.running();
  }

  /** Returns the queue's name; empty before it was configured. */
  public String name() {
    return view == null ? lifecycle.name() : view.name();
  }

  /**
   * Returns what distinguishes it from every other queue, also from one that had its name before
   * it: made with its directory, kept as long as that is.
   */
  public UUID identity() {
    return running().subscribers().identity();
  }

  /** Returns where it is in its life. */
  public QueueState state() {
    return view == null ? lifecycle.state() : view.state();
  }

  /** Returns what makes the messages' data from bytes and back. */
  public MessageConverter<M> converter() {
    return view == null ? running().converter() : view.converter();
  }

  /** Returns the settings as a subscriber gets them: with the defaults for what they leave out. */
  public SubscriberConfig completed(SubscriberConfig settings) {
    return running().subscribers().completed(settings);
  }

  /** Returns the queue's one publisher; thread-safe. */
  public Publisher<M> publisher() {
    return running().publisher();
  }

  /**
   * Returns the subscriber of this name: the open one, else reopened with the settings that it had,
   * else created with defaults (without acknowledgement, from the earliest message).
   */
  public Subscriber<M> subscriber(String subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    SubscriberRegistry<M> all = running().subscribers();
    return Interrupts.deferred(() -> all.open(subscriber));
  }

  /**
   * Returns the subscriber with these settings, created or reopened; the same object while open.
   *
   * @throws ConfigurationException it exists and differs in ack-required or order, or is open with
   *     other settings
   */
  public Subscriber<M> subscriber(SubscriberConfig settings) {
    Objects.requireNonNull(settings, "settings");
    SubscriberRegistry<M> all = running().subscribers();
    return Interrupts.deferred(() -> all.open(settings));
  }

  /** Returns the subscribers that are open. */
  public List<Subscriber<M>> subscribers() {
    return new ArrayList<>(running().subscribers().open());
  }

  /** Returns the names of all who have subscribed, open now or not, in alphabetical order. */
  public List<String> subscriberNames() {
    return running().subscribers().names();
  }

  /**
   * Ends a subscription and returns whether there was one: its position, its acknowledgements and
   * its dead letters are deleted, and blocks no longer wait for it.
   */
  public boolean removeSubscriber(String subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    SubscriberRegistry<M> all = running().subscribers();
    return Interrupts.deferred(() -> all.remove(subscriber));
  }

  /** Returns the part of this type that a {@link QueueExtension} brought; empty without. */
  public <T> Optional<T> part(Class<T> type) {
    return running().parts().find(Objects.requireNonNull(type, "type"));
  }

  /** Returns what passes messages of the queue to elsewhere, or from elsewhere into it, now. */
  public List<TransferStats> transfers() {
    return running().parts().transfers().stream().map(Transfer::stats).toList();
  }

  /**
   * Adds something to {@link #transfers}, which REST and the console show, until it is removed or
   * the queue is closed.
   *
   * @return removes it
   */
  public Runnable addTransfer(Transfer transfer) {
    QueueParts parts = running().parts();
    parts.add(Objects.requireNonNull(transfer, "transfer"));
    return () -> parts.remove(transfer);
  }

  /**
   * Publishes several messages as one, like {@link Publisher#putAll}, if the queue holds what the
   * caller expects; no other publish comes in between. A message whose id is known is a duplicate
   * first: where all of them are, nothing is compared. What waits for capacity compares again.
   *
   * <p>By key it costs a {@link #latest} more, and needs {@link Builder#keyIndex}.
   *
   * @throws ConflictException it holds something else, which the exception names; nothing was
   *     stored
   * @throws ConfigurationException by key, and the queue has no index
   */
  public PublishResult putAllIf(Expected expected, List<Message<M>> batch, Durability level) {
    return running().putAllIf(Objects.requireNonNull(expected, "expected"), batch, level);
  }

  /**
   * Publishes a message if this is the queue's next sequence: {@link #putAllIf}, {@link
   * Expected#next}.
   */
  public PublishResult putIf(long expectedNextSequence, Message<M> message, Durability level) {
    return putAllIf(Expected.next(expectedNextSequence), Collections.singletonList(message), level);
  }

  /**
   * Publishes a message if the last one with this key is the expected one, or with an empty
   * sequence if there is none: {@link #putAllIf}, {@link Expected#lastOf}, {@link Expected#none}.
   */
  public PublishResult putIfLatest(
      String key, OptionalLong expectedSequence, Message<M> message, Durability level) {
    Expected expected =
        expectedSequence.isPresent()
            ? Expected.lastOf(key, expectedSequence.getAsLong())
            : Expected.none(key);
    return putAllIf(expected, Collections.singletonList(message), level);
  }

  /**
   * Publishes a message of a source that numbers its messages, unless the queue has one of this or
   * a higher position of it: so each is stored exactly once, however often the source sends it
   * again, also after a kill and however much later. Positions of an origin go up, in steps of any
   * size. An id of the message is not looked at.
   *
   * <p>The message carries its origin and position in the header {@value ForwardOrigin#HEADER}.
   * Each origin that a queue has ever had takes about 100 bytes of memory and file.
   *
   * @param position of the message at its source, 0 or more
   * @param level the result is returned once the message, or the one that it repeats, is at least
   *     as durable as this
   * @return {@link PublishResult#duplicate} with sequence -1 if it was left out
   * @throws IllegalArgumentException position is negative
   */
  public PublishResult putFrom(Origin origin, long position, Message<M> message, Durability level) {
    Objects.requireNonNull(origin, "origin");
    if (position < 0) {
      throw new IllegalArgumentException("position " + position + " of " + origin.name());
    }
    RunningQueue<M> queue = running();
    ForwardOrigin from = new ForwardOrigin(origin.id(), position);
    return queue.publisher().putFrom(queue.target(), from, message, level);
  }

  @Override
  public boolean publishContinuation(ForwardOrigin origin, long oldest, List<Message<M>> messages) {
    RunningQueue<M> queue = running();
    return queue.publisher().publishContinuation(queue.target(), origin, oldest, messages);
  }

  /**
   * Returns the highest position that the queue has of an origin, from which its source continues;
   * empty if it has none.
   */
  public OptionalLong lastFrom(Origin origin) {
    return running().target().lastFrom(Objects.requireNonNull(origin, "origin").id());
  }

  /** What the queue holds. */
  public QueueStats stats() {
    return running().stats();
  }

  /**
   * Returns the blocks below a number, in log and backup, the newest first. A block is in both for
   * a moment while it leaves the log.
   *
   * @param below {@link Integer#MAX_VALUE} for the newest, then the last number that was returned
   * @param max 1 or more
   */
  public List<BlockStats> blocks(int below, int max) {
    return running().blocks(below, Require.positive(max, "max"));
  }

  /** Returns the settings as they are now; what is not given among them has its default. */
  public Settings settings() {
    return running().settings();
  }

  /**
   * Looks a message up without a subscriber, in the log or in a backup; attempt 0, and nothing to
   * acknowledge. A delayed message is there twice: where it was published, and, from when it is due
   * on, where it took its place; {@link Delivery#sequence} is the publisher's from both.
   *
   * @param sequence the publisher's, or a {@link Delivery#place}
   * @return empty if it was never published, was erased, or is in neither
   * @throws com.wookler.river.core.message.DamagedMessageException it is damaged, also when
   *     subscribers have passed it over
   */
  public Optional<Delivery<M>> read(long sequence) {
    return read(sequence, 1).stream().filter(found -> found.place() == sequence).findFirst();
  }

  /**
   * Reads up to {@code max} messages in a row, 1 or more, until one is missing; a delayed one in
   * both places, and without those that were removed or erased. To read on: from the {@link
   * Delivery#place} after the last one's. A sequence that no message has, a negative one too, finds
   * nothing; but one that compaction has removed finds those behind it, also once its block has
   * left the log.
   *
   * @throws com.wookler.river.core.message.DamagedMessageException one of them is damaged
   */
  public List<Delivery<M>> read(long from, int max) {
    int most = Require.positive(max, "max");
    return view == null ? running().read(from, most) : view.read(from, most);
  }

  /**
   * Returns the first sequence from this one on that the log or a backup has: where to continue
   * once {@link #read(long, int)} finds nothing, behind what has left the log, was removed, or is
   * lost. What is damaged counts as there, so that it is not passed over unseen.
   *
   * @return empty at the end of the queue
   */
  public OptionalLong nextFrom(long sequence) {
    return running().lookup().nextFrom(sequence);
  }

  /**
   * Cancels a message that waits, delayed or not: no subscriber that has not got it yet will get
   * it, and it is not forwarded, unless it was; readers do not find it either. What was delivered
   * before may be acknowledged, and does not come again; rejected, it becomes a dead letter. Its id
   * stays known.
   *
   * <p>The answer comes once that is as durable as the queue's messages are: see {@link
   * Builder#durability}.
   *
   * @param sequence that the publisher got
   * @return whether it waited; {@link #tryCancel} tells more
   * @throws com.wookler.river.common.errors.RiverException it cannot be kept; the message may come
   */
  public boolean cancel(long sequence) {
    return tryCancel(sequence) != CancelResult.NOT_WAITING;
  }

  /** Cancels a message like {@link #cancel}, and returns whether a consumer may have it now. */
  public CancelResult tryCancel(long sequence) {
    return running().removal().cancel(sequence);
  }

  /**
   * Cancels the message that was published last with this id, like {@link #cancel}. An id that is
   * published again later is still a duplicate.
   *
   * @return how many messages were cancelled, so 1 or 0
   * @throws ConfigurationException the queue keeps no ids: {@link Builder#deduplicate}
   */
  public int cancelById(String id) {
    return tryCancelById(id) == CancelResult.NOT_WAITING ? 0 : 1;
  }

  /** Cancels a message like {@link #cancelById}, and returns whether a consumer may have it now. */
  public CancelResult tryCancelById(String id) {
    return running().cancelById(Objects.requireNonNull(id, "id"));
  }

  /**
   * Cancels all messages with this key that wait, like {@link #cancel}. Reads the log from the
   * oldest message that waits.
   *
   * @return how many messages were cancelled
   */
  public int cancelByKey(String key) {
    return running().removal().cancelByKey(Objects.requireNonNull(key, "key")).messages();
  }

  /** Cancels like {@link #cancelByKey}, and returns whether a consumer may have one of them now. */
  public CancelResult tryCancelByKey(String key) {
    return running().removal().cancelByKey(Objects.requireNonNull(key, "key")).result();
  }

  /**
   * Publishes a message in place of the last one with this id, which it takes over, and cancels
   * that one: after a crash both has happened, or neither. It is not refused for the limits of the
   * queue. Nothing is published if all subscribers have completed the other one.
   *
   * <p>The message comes where it is published now, and carries a header {@value
   * com.wookler.river.core.message.ForwardOrigin#REPLACED}.
   *
   * @return whether the other one waited and the message was published; {@link #tryReplace} tells
   *     more
   * @throws ConfigurationException the queue keeps no ids: {@link Builder#deduplicate}
   */
  public boolean replace(String id, Message<M> message) {
    return tryReplace(id, message).replaced() != CancelResult.NOT_WAITING;
  }

  /** Replaces like {@link #replace}, and returns what became of both. */
  public ReplaceResult tryReplace(String id, Message<M> message) {
    return running().replace(Objects.requireNonNull(id, "id"), message);
  }

  /** Publishes a message in place of another in the same way. */
  public ReplaceResult tryReplace(long sequence, Message<M> message) {
    RunningQueue<M> queue = running();
    return queue.publisher().replace(queue.removal(), sequence, message);
  }

  /**
   * Removes the messages from one sequence up to, and without, another, delayed ones too: as if
   * each were {@link #cancel cancelled}, whether subscribers have completed it or not. A block of
   * which all is removed leaves the log without a backup, once it is the oldest and closed.
   *
   * @return how many were removed
   * @throws IllegalArgumentException {@code from} is negative, or after {@code end}
   */
  public long delete(long from, long end) {
    if (from < 0 || end < from) {
      throw new IllegalArgumentException("no messages are from " + from + " up to " + end);
    }
    return running().removal().delete(from, end);
  }

  /**
   * Erases a message like {@link #erase(Collection)}.
   *
   * @param sequence that the publisher got
   * @return how many bytes of it were overwritten, in all places; 0 if none has it
   */
  public long erase(long sequence) {
    return erase(List.of(sequence));
  }

  /**
   * Erases messages: {@link #delete deletes} them, and has their data, keys, headers and ids
   * removed from the log and the backups, whose checks stay valid; they keep their sequences, and
   * all that reads passes them over. A delayed one is erased at both of its places. Returns when
   * that is on the device. A crash, or an exception, may leave them deleted and in some of the
   * files: erase them again.
   *
   * <p>Not covered are copies outside log and backups: dead letters ({@code DeadLetters.purge}),
   * what was redriven or transferred to another queue, which have sequences of their own there; a
   * delayed message that waits, in the file of those that are due with it; its id in the window of
   * {@link Builder#deduplicate}; snapshots; what consumers have, and the redelivery cache in
   * memory. {@code ./river erase} overwrites all of the queue while it is closed.
   *
   * <p>Each block that has some of them is written anew, of some backups too, once for all of a
   * call: as long as that takes nothing of the queue is archived.
   *
   * @param sequences that the publisher got, none negative; what none has is passed over
   * @return how many bytes of them were overwritten, in all places
   * @throws com.wookler.river.core.message.DamagedMessageException a block or backup is damaged;
   *     its messages, and those after them, are deleted only
   * @throws com.wookler.river.common.errors.RiverException a file cannot be read or written now
   */
  public long erase(Collection<Long> sequences) {
    return tryErase(sequences).bytes();
  }

  /** Erases messages like {@link #erase(Collection)}, and returns of which there was something. */
  public EraseResult tryErase(Collection<Long> sequences) {
    for (Long each : Objects.requireNonNull(sequences, "sequences")) {
      if (Objects.requireNonNull(each, "a sequence") < 0) {
        throw new IllegalArgumentException("sequence " + each + " is negative");
      }
    }
    return running().erase(List.copyOf(sequences));
  }

  /**
   * Removes the oldest messages of the log, and those before them that are delayed and wait, once,
   * beside the standing {@link Builder#retention}: {@link #delete deletes} them, and moves every
   * subscriber past them, also one that is closed, which counts as {@link QueueStats#discarded}.
   *
   * @return how many were removed
   */
  public long trim(Trim trim) {
    return running().removal().trim(Objects.requireNonNull(trim, "trim"));
  }

  /**
   * Returns the first messages with this key from a sequence on, in order, out of log and backup,
   * of those that were published before the call and not removed; a delayed one from its second
   * place on. To read on: from the sequence after the last one's.
   *
   * <p>The index tells where the last of them is; up to there, or until {@code max} are found, it
   * reads over all messages from {@code from} on, a backup's frames among them.
   *
   * @param max 1 or more
   * @throws ConfigurationException the queue has no index: {@link Builder#keyIndex}
   */
  public List<StoredMessage> read(String key, long from, int max) {
    Objects.requireNonNull(key, "key");
    return running().read(key, from, Require.positive(max, "max"));
  }

  /**
   * Removes messages of which a later one has the key, from closed blocks and backups, and what is
   * deleted: at once, what {@link Builder#compact} does in the background. Waits until it is done.
   *
   * @return how many messages were removed
   * @throws ConfigurationException the queue has no index: {@link Builder#keyIndex}
   * @throws com.wookler.river.common.errors.RiverException a file cannot be read or written now;
   *     what was compacted before stays so
   */
  public long compact() {
    return running().compact();
  }

  /** Returns the first message published at or after this time, in log or backup; or empty. */
  public OptionalLong sequenceAt(Instant time) {
    return running().lookup().sequenceAt(Objects.requireNonNull(time, "time"));
  }

  /**
   * Returns the last message with this key that was published before the call and is in log or
   * backup: what {@link #read(long)} gives for it, also if it has expired or is a dead letter. One
   * that is delayed counts from when it is due. With {@link Builder#compact} a key whose last
   * message has no data is deleted, and has none.
   *
   * <p>Costs a few reads. Waits until what was published before is indexed, which the background
   * does within about 100 ms; where {@link Builder#keyIndex} was just turned on, or files are lost,
   * it waits until all that log and backups hold is indexed. Two keys of one hash, a chance in 2^64
   * a pair, cost a search of the log.
   *
   * @return empty if there is none, or if it was removed: an earlier one is not looked for
   * @throws ConfigurationException the queue has no index: {@link Builder#keyIndex}
   * @throws com.wookler.river.core.message.DamagedMessageException it is damaged. One that was so
   *     before it was indexed is passed over
   * @throws com.wookler.river.common.errors.RiverException the index cannot be read or written now
   */
  public Optional<Delivery<M>> latest(String key) {
    return running().latest(Objects.requireNonNull(key, "key"));
  }

  /**
   * Changes options of the queue and of its subscribers while it runs. All is checked before the
   * first of them changes. What changes of a subscriber is kept with it; what changes of the queue
   * holds until it is closed.
   *
   * @throws ConfigurationException an option cannot change while the queue runs, a value is out of
   *     its range, or there is no such subscriber; nothing has changed
   * @throws com.wookler.river.common.errors.RiverException the settings of a subscriber cannot be
   *     kept; the queue, and the subscribers before it, have changed
   */
  public void reconfigure(Consumer<Changes> changes) {
    Changes wanted = new Changes();
    changes.accept(wanted);
    Reconfiguration reconfiguration = running().reconfiguration();
    Interrupts.defer(() -> reconfiguration.apply(wanted));
  }

  /** Returns what the queue does now: as it was set, also in an earlier run. */
  public QueueStatus status() {
    return running().reconfiguration().status();
  }

  /**
   * Sets what the queue does from now on, also after it was opened again or killed: on the device
   * when this returns. Publishes under way are finished first; publishers that wait for capacity
   * are refused with {@link com.wookler.river.core.message.QueueStatusException}. Consumers that
   * wait stay, and get messages once there are some for them again. Polls of a queue that does not
   * deliver return nothing.
   *
   * @throws com.wookler.river.common.errors.RiverException it cannot be kept; nothing has changed
   */
  public void status(QueueStatus status) {
    Objects.requireNonNull(status, "status");
    Reconfiguration reconfiguration = running().reconfiguration();
    Interrupts.defer(() -> reconfiguration.change(status));
  }

  /**
   * Returns when everything published and acknowledged before is on the device.
   *
   * @throws com.wookler.river.core.message.QueueFailedException the device refused, perhaps for
   *     acknowledgements only; else the queue has failed
   * @throws com.wookler.river.common.errors.RiverException it cannot be forced now, and is tried
   *     again
   */
  public void force() {
    running().force();
  }

  /**
   * Makes a consistent copy of the queue as it is now, with everything of its directory, from which
   * a queue of this name opens: all that was published before, nothing that came after the copy
   * ended, and each subscriber where it was or a moment before that. Publishers and consumers
   * continue meanwhile. It is on the device when this returns.
   *
   * <p>Sealed blocks, which never change, are hard links where the target is on the same volume
   * ({@link #canLinkTo}), else copies; the last blocks are copied. As long as that takes,
   * subscribers of the queue wait with a seek, a peek, a purge, opening and removing one, and no
   * block leaves; so does {@link #close}. Forces in the background wait for the copy of the index
   * files, which is made before. On another volume both take as long as the queue is large: rather
   * make the snapshot on the same one, and copy it from there. The copy has the queue's identity:
   * do not let both forward to, or continue in, the same queues. Backups are not in it: a
   * subscriber that is still in them continues there if the copy is opened with them, else at the
   * first message of the copy, and a warning says how many messages that passes over.
   *
   * @param directory as {@link Builder#directory}, in which the queue then has one of its name; or
   *     that one itself, if its last part is the queue's name. It must not be there yet
   * @throws ConfigurationException there is something of that name, or the copy would be in the
   *     directory of this or another queue; nothing was touched
   * @throws QueueClosedException the queue, or one of its subscribers, was being closed
   * @throws com.wookler.river.common.errors.RiverException it cannot be written, or the log has
   *     failed; nothing is left of it
   * @throws IllegalStateException called by a {@link QueueListener}
   */
  public QueueSnapshot snapshot(Path directory) {
    Listeners.refuseInside("make a snapshot of queue " + name());
    boolean isNamed = Objects.requireNonNull(directory, "directory").endsWith(name());
    Path to = isNamed ? directory : directory.resolve(name());
    return running().snapshot(to);
  }

  /**
   * Returns whether files of the queue can have a second name in a directory, which is tried, so
   * that a {@link #snapshot} below it takes little time and space, however large the queue is.
   *
   * @param directory that is there, and may be written
   * @throws com.wookler.river.common.errors.RiverException it is not there, or cannot be written
   */
  public boolean canLinkTo(Path directory) {
    return running().canLinkTo(Objects.requireNonNull(directory, "directory"));
  }

  /**
   * Returns why publishers are refused now because the disk is full or has no more left than the
   * queue's {@link Builder#diskReserve}; empty while they are not.
   */
  public Optional<String> shortage() {
    BlockLog log = running().log();
    return log.isShort() ? log.shortage().map(Shortage::text) : Optional.empty();
  }

  /** Hears from now on what happens in the background. */
  public void addListener(QueueListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Closes the queue, also if this fails, and removes its directory; backups stay.
   *
   * @throws com.wookler.river.common.errors.RiverException something of the directory is left
   * @throws IllegalStateException called by a {@link QueueListener}
   */
  public void delete() {
    running();
    lifecycle.close(true);
  }

  /**
   * Closes the queue, also if this fails: waits for calls under way, wakes consumers that wait
   * (they get {@link QueueClosedException}), forces, which answers publishers that wait, and gives
   * back every thread, file and mapping. Idempotent.
   *
   * @throws com.wookler.river.core.message.QueueFailedException the log has failed, now or before:
   *     what was published may not be on the device
   * @throws IllegalStateException called by a {@link QueueListener}
   */
  @Override
  public void close() {
    if (view != null) {
      view.close();
      return;
    }
    lifecycle.close(false);
  }

  @Override
  public String toString() {
    return "MessageQueue[" + name() + ", " + state() + "]";
  }

  /**
   * Collects the settings of a queue, which {@link #open} checks. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> extends QueueBuilder<M, Builder<M>> {
    private Builder(String name, MessageConverter<M> converter) {
      super(name, converter);
    }

    @Override
    Builder<M> self() {
      return this;
    }

    /**
     * Makes the queue and starts it; see {@link MessageQueue#start}.
     *
     * @throws ConfigurationException a setting is out of its range, or does not fit what is on disk
     * @throws com.wookler.river.core.message.QueueLockedException the directory is in use
     * @throws com.wookler.river.common.errors.RiverException the directory cannot be used; nothing
     *     stays open
     */
    public MessageQueue<M> open() {
      MessageQueue<M> queue = new MessageQueue<>(config());
      queue.start();
      return queue;
    }
  }
}
