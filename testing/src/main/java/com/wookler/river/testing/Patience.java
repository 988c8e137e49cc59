package com.wookler.river.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How long tests wait for what must come, and how often they look: long enough for a machine that
 * is busy with other things, and often, so that a test takes no longer than what it waits for.
 * JUnit finds it by itself.
 */
public final class Patience implements LauncherSessionListener {
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration BETWEEN = Duration.ofMillis(10);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(LONGEST);
    Awaitility.setDefaultPollDelay(BETWEEN);
    Awaitility.setDefaultPollInterval(BETWEEN);
  }
}
