package com.wookler.river.core.log.recovery;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.ReadFailedException;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Identifies the files of a log's directory before one of them is trusted: whose they are, and
 * whether each is the block or the seal that its name says.
 *
 * <p>{@link #list} touches nothing. {@link #tidy} removes what a crash left half made, renames
 * blocks that have another's name, and quarantines what is not the log's.
 */
final class LogFileScan {
  private static final Logger LOG = LoggerFactory.getLogger(LogFileScan.class);

  private final LogDirectory log;
  private final Device device;
  private final SortedMap<Integer, Path> blocks = new TreeMap<>();
  private final SortedMap<Integer, Path> misplaced = new TreeMap<>(); // by what they hold
  private final SortedMap<Integer, Path> displaced = new TreeMap<>(); // by where they may belong
  private final SortedMap<Integer, Seal> seals = new TreeMap<>();
  private final SortedMap<Integer, BlockHead> heads = new TreeMap<>(); // by what they say
  private final List<Path> leftovers = new ArrayList<>();
  private final Map<Path, String> strange = new TreeMap<>(); // with what is wrong

  private LogFileScan(LogDirectory log, Device device) {
    this.log = log;
    this.device = device;
  }

  /** Lists a directory; refuses the log of another queue. */
  static LogFileScan list(LogDirectory log, Device device) throws IOException {
    LogFileScan files = new LogFileScan(log, device);
    LogFiles found = LogFiles.list(log.path());
    files.leftovers.addAll(found.passing());
    files.takeSeals(found.seals());
    files.identify(found);
    found.misnamed().forEach(file -> files.strange.put(file, "is not named like a block"));
    return files;
  }

  SortedMap<Integer, Path> blocks() {
    return blocks;
  }

  /** Seals that are whole, by number. */
  SortedMap<Integer, Seal> seals() {
    return seals;
  }

  /** Returns what the first document of a block says, if it can be read. */
  Optional<BlockStart> start(int block) {
    return Optional.ofNullable(heads.get(block)).map(BlockHead::start);
  }

  /** Returns the sequence at which the next block says that it starts, if one does. */
  OptionalLong startAfter(int block) {
    return heads.tailMap(block + 1).values().stream()
        .mapToLong(head -> head.start().firstSequence())
        .findFirst();
  }

  /** Returns how a block differs from its seal; empty if it seems not to. */
  String unlikeSeal(Seal seal) {
    BlockHead head = heads.get(seal.block());
    return head == null ? "its start cannot be read" : head.unlike(seal);
  }

  /** Returns the highest number that a file has; 0 if there is none. */
  int newest() {
    return Math.max(
        Math.max(last(blocks), last(seals)), Math.max(last(misplaced), last(displaced)));
  }

  private static int last(SortedMap<Integer, ?> files) {
    return files.isEmpty() ? 0 : files.lastKey();
  }

  private void takeFiles(SortedMap<Integer, Path> named, SortedMap<Integer, Path> taken) {
    named.forEach(
        (number, file) -> {
          if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            taken.put(number, file);
          } else {
            strange.put(file, "is not a file");
          }
        });
  }

  private void takeSeals(SortedMap<Integer, Path> named) throws IOException {
    SortedMap<Integer, Path> files = new TreeMap<>();
    takeFiles(named, files);
    for (Map.Entry<Integer, Path> file : files.entrySet()) {
      readSeal(file.getKey(), file.getValue());
    }
  }

  private void readSeal(int number, Path file) throws IOException {
    try {
      seals.put(number, BlockFile.seal(file, number));
    } catch (DamagedException e) {
      LOG.warn("Queue {}: {}: {}; reading the block instead", log.queue(), file, e.getMessage());
      if (Files.size(file) > Seal.BYTES) {
        strange.put(file, "is no seal");
      } else {
        leftovers.add(file);
      }
    } catch (IOException e) {
      throw ReadFailedException.of(file, e);
    }
  }

  /** Finds out which files are another queue's, and which blocks have another's name. */
  private void identify(LogFiles found) throws IOException {
    Map<Path, UUID> foreign = new TreeMap<>();
    SortedMap<Integer, Path> unidentified = new TreeMap<>();
    SortedMap<Integer, Path> parked = new TreeMap<>();
    takeFiles(found.blocks(), unidentified);
    takeFiles(parked(found.others()), parked);
    identifyAll(unidentified.values(), foreign);
    identifyAll(parked.values(), foreign);
    for (Path file : mayHideBlock(found)) {
      identify(file, foreign);
    }
    for (int number : List.copyOf(misplaced.keySet())) {
      if (blocks.containsKey(number)) {
        strange.put(misplaced.remove(number), "is another copy of block " + number);
      }
    }
    parked.forEach((number, file) -> takeParked(number, file, unidentified.containsKey(number)));
    unidentified.forEach(this::takeUnidentified);
    refuseForeign(foreign);
    for (Map.Entry<Path, UUID> file : foreign.entrySet()) {
      strange.put(file.getKey(), "belongs to the queue with the id " + file.getValue());
      BlockName.sealNumber(file.getKey()).ifPresent(number -> seals.remove(number));
    }
  }

  private static SortedMap<Integer, Path> parked(List<Path> others) {
    SortedMap<Integer, Path> parked = new TreeMap<>();
    for (Path file : others) {
      BlockName.misplacedNumber(file).ifPresent(number -> parked.put(number, file));
    }
    return parked;
  }

  /** Files of other kinds, which are made anew if they are not what their name says. */
  private List<Path> mayHideBlock(LogFiles found) {
    List<Path> files = new ArrayList<>(found.passing());
    files.removeIf(file -> String.valueOf(file).endsWith(DurableFiles.TEMPORARY)); // a copy at most
    files.addAll(found.sideFiles());
    files.addAll(strange.keySet()); // so far what is no seal
    files.removeIf(file -> !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
    return files;
  }

  private void identifyAll(Collection<Path> files, Map<Path, UUID> foreign) throws IOException {
    for (Path file : List.copyOf(files)) {
      if (identify(file, foreign)) {
        files.remove(file);
      }
    }
  }

  /** Returns whether it has a valid block start: then its number is known. */
  private boolean identify(Path file, Map<Path, UUID> foreign) throws IOException {
    Optional<BlockHead> head = headOf(file);
    if (head.isEmpty()) {
      return false;
    }
    leftovers.remove(file);
    strange.remove(file);
    BlockStart start = head.get().start();
    if (!isOwn(start.queue())) {
      foreign.put(file, start.queue());
    } else if (BlockName.number(file).equals(OptionalInt.of(start.block()))) {
      heads.put(start.block(), head.get());
      blocks.put(start.block(), file);
    } else {
      heads.putIfAbsent(start.block(), head.get());
      if (misplaced.putIfAbsent(start.block(), file) != null) {
        strange.put(file, "is another copy of block " + start.block());
      }
    }
    return true;
  }

  private static Optional<BlockHead> headOf(Path file) throws IOException {
    try {
      return BlockHead.read(file);
    } catch (IOException e) {
      throw ReadFailedException.of(file, e);
    }
  }

  /** What an earlier opening has put under this name, and a crash kept from its own. */
  private void takeParked(int number, Path file, boolean isTaken) {
    if (isTaken || blocks.containsKey(number) || misplaced.containsKey(number)) {
      strange.put(file, "is another copy of block " + number);
    } else {
      misplaced.put(number, file);
    }
  }

  /**
   * A file that does not say which block it is, is that of its name, unless another says that it is
   * that one. Then the two were exchanged, perhaps, or more in a circle: it gets the name that
   * becomes free, and a recovery looks for messages of that block in it.
   */
  private void takeUnidentified(int number, Path file) {
    if (!misplaced.containsKey(number)) {
      blocks.put(number, file);
      return;
    }
    OptionalInt free = OptionalInt.of(number);
    while (free.isPresent() && misplaced.containsKey(free.getAsInt())) {
      free = BlockName.number(misplaced.get(free.getAsInt()));
    }
    if (free.isPresent()) {
      displaced.put(free.getAsInt(), file);
    } else {
      strange.put(file, "is not block " + number + ", which " + misplaced.get(number) + " is");
    }
  }

  private boolean isOwn(UUID owner) {
    return owner.equals(log.identity());
  }

  private void refuseForeign(Map<Path, UUID> foreign) {
    boolean own = !heads.isEmpty();
    for (Seal seal : seals.values()) {
      if (isOwn(seal.queue())) {
        own = true;
      } else {
        foreign.put(BlockName.seal(log.path(), seal.block()), seal.queue());
      }
    }
    if (!foreign.isEmpty() && !own) {
      throw refusal(foreign.entrySet().iterator().next());
    }
  }

  private RiverException refusal(Map.Entry<Path, UUID> foreign) {
    return new RiverException(
        "queue "
            + log.queue()
            + " has the id "
            + log.identity()
            + ", but "
            + foreign.getKey()
            + " belongs to a queue with the id "
            + foreign.getValue()
            + "; nothing was touched. If the log is the right one, delete queue.json, which is then"
            + " made anew for it; else move the foreign files away");
  }

  /** Leaves only what belongs here, under its own name. */
  void tidy() throws IOException {
    for (Path file : leftovers) {
      deleteLeftover(file);
      device.repaired(file);
    }
    for (Map.Entry<Path, String> file : strange.entrySet()) {
      quarantine(file.getKey(), file.getValue());
    }
    putBack();
  }

  private void deleteLeftover(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) { // such as a directory of that name
      LOG.warn("Queue {}: {} cannot be removed: {}", log.queue(), file, e.toString());
    }
  }

  private void quarantine(Path file, String why) throws IOException {
    LOG.warn(
        "Queue {}: damaged: {} {}; quarantined as {}",
        log.queue(),
        file,
        why,
        DurableFiles.quarantine(file));
    device.repaired(file);
  }

  /**
   * First moves all away from each other's names, to names that a recovery knows after a crash; and
   * of these first those without a valid start, whose number follows from the names of the others.
   */
  private void putBack() throws IOException {
    for (Map.Entry<Integer, Path> entry : displaced.entrySet()) {
      int number = entry.getKey();
      park(entry.getValue(), number, "has no valid block start; it is scanned as");
    }
    for (Map.Entry<Integer, Path> entry : misplaced.entrySet()) {
      park(entry.getValue(), entry.getKey(), "holds and gets the name of");
    }
    SortedMap<Integer, Path> parked = new TreeMap<>(misplaced);
    parked.putAll(displaced);
    for (int number : parked.keySet()) {
      Path own = BlockName.data(log.path(), number);
      DurableFiles.rename(BlockName.misplaced(log.path(), number), own);
      device.repaired(own);
      blocks.put(number, own);
    }
  }

  private void park(Path file, int number, String what) throws IOException {
    Path parked = BlockName.misplaced(log.path(), number);
    if (!file.equals(parked)) {
      DurableFiles.rename(file, parked);
      device.repaired(parked);
      LOG.warn("Queue {}: damaged: {} {} block {}", log.queue(), file, what, number);
    }
  }
}
