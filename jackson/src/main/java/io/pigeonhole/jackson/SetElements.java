package io.pigeonhole.jackson;

import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;

/**
 * Puts elements into a set while they are read, and notices those that it would lose. An enum may read names that it does not have as one
 * value, because it says so: elements that become equal by such names are held once. So each element is compared with those that were
 * read of the same such names only. Used by one thread.
 */
final class SetElements extends AbstractCollection<@Nullable Object> {
    private final Collection<@Nullable Object> set;

    /** That of the set around this one. */
    private final @Nullable SetElements outer;

    /** The name that a creator has first read as a value, in the outermost set. */
    private final Map<Object, String> firstNames;

    /** Names of the element that is being read. */
    private final List<String> names = new ArrayList<>();

    /** Elements with such names, by their names. */
    private final Map<List<String>, Set<@Nullable Object>> named = new HashMap<>();

    /** Elements that the set has of one with such names only. */
    private final Set<@Nullable Object> onlyNamed;

    private boolean losesSome;

    private SetElements(Collection<@Nullable Object> set, @Nullable SetElements outer) {
        this.set = set;
        this.outer = outer;
        this.firstNames = outer == null ? new HashMap<>() : outer.firstNames;
        this.onlyNamed = likeTheSet();
    }

    /** Elements of an empty set, which are the current ones of the document until their end. */
    static SetElements begin(Collection<@Nullable Object> set, DeserializationContext context) {
        SetElements elements = new SetElements(set, current(context));
        context.setAttribute(SetElements.class, elements);
        return elements;
    }

    /** What was current before is it again. */
    void end(DeserializationContext context) {
        context.setAttribute(SetElements.class, outer);
    }

    /** An enum has read a name that it does not have as another value, or as null. */
    static void readUnknown(DeserializationContext context, String name) {
        for (SetElements each = current(context); each != null; each = each.outer) {
            each.names.add(name);
        }
    }

    /**
     * A creator has read a name as this value, or as the null of this type. It does not say which names it has: those count that are read
     * as what another name was read as before.
     */
    static void readByCreator(DeserializationContext context, String name, Object valueOrType) {
        SetElements elements = current(context);
        String first = elements == null ? null : elements.firstNames.putIfAbsent(valueOrType, name);
        if (first != null && !first.equals(name)) {
            readUnknown(context, name);
        }
    }

    private static @Nullable SetElements current(DeserializationContext context) {
        return context.getAttribute(SetElements.class) instanceof SetElements elements ? elements : null;
    }

    @Override
    public boolean add(@Nullable Object element) {
        List<String> read = names.stream().sorted().toList();
        names.clear();
        boolean isNew = set.add(element);
        if (read.isEmpty()) {
            boolean isLost = !isNew && !onlyNamed.remove(element);
            losesSome |= isLost;
        } else {
            boolean isLost = !named.computeIfAbsent(read, each -> likeTheSet()).add(element);
            losesSome |= isLost;
            if (isNew) {
                onlyNamed.add(element);
            }
        }
        return isNew;
    }

    /** A sorted set takes elements for one that compare as equal. */
    @SuppressWarnings("unchecked") // Its elements are those of the set.
    private Set<@Nullable Object> likeTheSet() {
        return set instanceof SortedSet<?> sorted
                ? new TreeSet<>(((SortedSet<@Nullable Object>) sorted).comparator())
                : new HashSet<>();
    }

    boolean losesSome() {
        return losesSome;
    }

    @Override
    public Iterator<@Nullable Object> iterator() {
        return set.iterator();
    }

    @Override
    public int size() {
        return set.size();
    }
}
