package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.BackupRewriter;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.tools.inspect.BackupRestore;
import com.wookler.river.tools.inspect.BackupVerifier;
import com.wookler.river.tools.inspect.Finding;
import com.wookler.river.tools.inspect.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose backups are replaced once they have been listed. */
class ReplacedBackupTest extends ToolsFixture {
  @BeforeEach
  void make() {
    makeQueueWithBackups();
  }

  /** Replaces all backups, so often, when the total is reported. */
  private Progress replacing(int times) {
    return new Progress() {
      @Override
      public void total(long bytes) {
        try {
          for (int i = 0; i < times; i++) {
            for (StoredBlock stored : BackupFiles.scan(backups()).blocks()) {
              BackupRewriter.write(stored, (block, seal) -> seal);
              BackupRewriter.delete(stored);
            }
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public void done(long bytes) {}
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldVerifyWhatIsThereInstead(int times) throws IOException {
    List<Finding> findings = new ArrayList<>();
    assertThat(BackupVerifier.verify(backups(), findings::add, replacing(times)).messages())
        .isEqualTo(40);
    assertThat(findings).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldRestoreWhatIsThereInstead(int times) throws IOException {
    Path target = directory.resolve("restored").resolve("orders");
    BackupRestore.Result result = BackupRestore.restore(backups(), null, target, replacing(times));
    assertThat(result.messages()).isEqualTo(40);
    assertThat(result.missing()).isEmpty();
    assertThat(run("verify", target)).as(out()).isZero();
  }
}
