package com.wookler.river.forward;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.core.QueueExtension;
import com.wookler.river.core.QueueOptions;
import java.util.ArrayList;
import java.util.List;

/** Brings {@code queue.forward} and expiry queues to every queue; found by the service loader. */
public final class ForwardExtension implements QueueExtension {
  private static final String ELEMENT = "forwards";

  /** For the service loader. */
  public ForwardExtension() {}

  @Override
  public List<String> elements() {
    return List.of(ELEMENT);
  }

  @Override
  public List<Setting> configure(ConfigNode queue) {
    List<Setting> all = new ArrayList<>();
    for (ConfigNode list : queue.children(ELEMENT)) {
      list.allowChildren(List.of("forward"));
      for (ConfigNode node : list.children("forward")) {
        ForwardConfig forward = forward(node);
        String to = queue.param(QueueOptions.FORWARD.name()).orElse("");
        if (!QueueOptions.FORWARD.type().parse(to).contains(forward.target())) {
          throw node.error("queue.forward does not name the queue " + forward.target());
        }
        if (all.stream().anyMatch(other -> ((ForwardConfig) other).isTo(forward.target()))) {
          throw node.error("there are two <forward>s to the queue " + forward.target());
        }
        all.add(forward);
      }
    }
    return all;
  }

  private static ForwardConfig forward(ConfigNode node) {
    node.allowAttributes(List.of("queue"));
    node.allowChildren(List.of("params"));
    OptionTable table = ForwardOptions.TABLE;
    try {
      return ForwardConfig.to(node.requireAttribute("queue"))
          .settings(table.read(node, table.defaults(), List.of()))
          .build();
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  @Override
  public Part open(Context queue) {
    return new ForwardPart(queue);
  }
}
