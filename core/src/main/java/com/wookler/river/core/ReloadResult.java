package com.wookler.river.core;

import java.util.List;

/**
 * What {@link River#reload} has done, a sentence each that names queue and subscriber.
 *
 * @param changed options that have other values now, with both
 * @param added queues and subscribers that were opened, because they are new in the file
 * @param needsReopening options that are otherwise in the file, and take effect when their queue or
 *     subscriber is opened again
 * @param missing queues and subscribers that the file no longer has; they stay open
 */
public record ReloadResult(
    List<String> changed, List<String> added, List<String> needsReopening, List<String> missing) {
  public ReloadResult {
    changed = List.copyOf(changed);
    added = List.copyOf(added);
    needsReopening = List.copyOf(needsReopening);
    missing = List.copyOf(missing);
  }
}
