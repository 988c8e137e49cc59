package com.wookler.river.examples;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds groups of classes of one package that all depend on each other, directly or through others
 * of the group: strongly connected components, by Tarjan's algorithm ("Depth-first search and
 * linear graph algorithms", 1972). Nested classes count as their outermost one.
 */
final class Knots {
  private final Map<String, Set<String>> uses;
  private final Map<String, Integer> index = new HashMap<>();
  private final Map<String, Integer> low = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<Set<String>> found = new ArrayList<>();

  private Knots(Map<String, Set<String>> uses) {
    this.uses = uses;
  }

  /** Returns the groups of two and more classes in each package, by the package's name. */
  static Map<String, List<Set<String>>> of(JavaClasses classes) {
    Map<String, Map<String, Set<String>>> packages = new TreeMap<>();
    for (JavaClass type : classes) {
      Map<String, Set<String>> uses =
          packages.computeIfAbsent(type.getPackageName(), name -> new TreeMap<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass();
        String from = outermost(type);
        if (target.getPackageName().equals(type.getPackageName())
            && !outermost(target).equals(from)) {
          uses.computeIfAbsent(from, name -> new TreeSet<>()).add(outermost(target));
        }
      }
    }
    Map<String, List<Set<String>>> knots = new TreeMap<>();
    packages.forEach((name, uses) -> knots.put(name, new Knots(uses).find()));
    return knots;
  }

  private static String outermost(JavaClass type) {
    return type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
  }

  private List<Set<String>> find() {
    for (String type : uses.keySet()) {
      if (!index.containsKey(type)) {
        visit(type);
      }
    }
    return found;
  }

  private void visit(String type) {
    int number = index.size();
    index.put(type, number);
    low.put(type, number);
    open.push(type);
    for (String used : uses.getOrDefault(type, Set.of())) {
      if (!index.containsKey(used)) {
        visit(used);
        low.merge(type, low.get(used), Math::min);
      } else if (open.contains(used)) {
        low.merge(type, index.get(used), Math::min);
      }
    }
    if (low.get(type) == number) {
      Set<String> group = new TreeSet<>();
      String member;
      do {
        member = open.pop();
        group.add(member);
      } while (!member.equals(type));
      if (group.size() > 1) {
        found.add(group);
      }
    }
  }
}
