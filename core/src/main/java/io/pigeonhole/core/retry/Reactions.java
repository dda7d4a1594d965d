package io.pigeonhole.core.retry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** What some exceptions ask for, by predicates and by classes; each is asked for its causes, too. Immutable. */
final class Reactions {
    static final Reactions NONE = new Reactions(List.of(), Map.of());

    private final List<Rule> rules;
    private final Map<Class<? extends Throwable>, Reaction> byClass;

    private record Rule(Predicate<? super Throwable> failure, Reaction reaction) {}

    private Reactions(List<Rule> rules, Map<Class<? extends Throwable>, Reaction> byClass) {
        this.rules = List.copyOf(rules);
        this.byClass = Map.copyOf(byClass);
    }

    Reactions on(Class<? extends Throwable> failure, Reaction reaction) {
        Map<Class<? extends Throwable>, Reaction> more = new HashMap<>(byClass);
        more.put(failure, reaction);
        return new Reactions(rules, more);
    }

    Reactions when(Predicate<? super Throwable> failure, Reaction reaction) {
        List<Rule> more = new ArrayList<>(rules);
        more.add(new Rule(failure, reaction));
        return new Reactions(more, byClass);
    }

    Optional<Reaction> byPredicateTo(Throwable failure) {
        return first(failure, this::byPredicateToItself);
    }

    private Optional<Reaction> byPredicateToItself(Throwable failure) {
        return rules.stream()
                .filter(rule -> rule.failure().test(failure))
                .map(Rule::reaction)
                .findFirst();
    }

    Optional<Reaction> to(Throwable failure) {
        return byPredicateTo(failure).or(() -> first(failure, this::byClassToItself));
    }

    private static Optional<Reaction> first(Throwable failure, Function<Throwable, Optional<Reaction>> asked) {
        for (Throwable cause : AskedExceptions.of(failure)) {
            Optional<Reaction> reaction = asked.apply(cause);
            if (reaction.isPresent()) {
                return reaction;
            }
        }
        return Optional.empty();
    }

    private Optional<Reaction> byClassToItself(Throwable failure) {
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            Reaction reaction = byClass.get(type);
            if (reaction != null) {
                return Optional.of(reaction);
            }
        }
        return Optional.empty();
    }

    boolean names(Class<? extends Throwable> type, Throwable failure) {
        return byClass.keySet().stream().anyMatch(named -> type.isAssignableFrom(named) && named.isInstance(failure));
    }
}
