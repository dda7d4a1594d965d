package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.WorkItem;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store that refuses some of its writes for one message, as a database does whose tables do not take it. */
final class RefusingStore {
    private final Set<String> writes;
    private final String payload;
    private final Supplier<StoreException> refusal;
    /** Of dead letters of that payload. */
    private final Set<MessageKey> keys = ConcurrentHashMap.newKeySet();

    private RefusingStore(Set<String> writes, String payload, Supplier<StoreException> refusal) {
        this.writes = writes;
        this.payload = payload;
        this.refusal = refusal;
    }

    /** Around another store: the operations of these names are refused where they are about a message of this payload. */
    static <C extends HandlerContext> InboxStore<C> around(
            InboxStore<C> store, Set<String> writes, String payload, Supplier<StoreException> refusal) {
        return new RefusingStore(writes, payload, refusal).store(store);
    }

    @SuppressWarnings("unchecked") // A proxy of the interface that it is made for.
    private <C extends HandlerContext> InboxStore<C> store(InboxStore<C> store) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            Object answer = call(store, method, arguments);
            return answer instanceof InboxTransaction<?> transaction ? transaction(transaction) : answer;
        };
        return (InboxStore<C>) proxy(InboxStore.class, handler);
    }

    private Object transaction(InboxTransaction<?> transaction) {
        AtomicBoolean commitIsRefused = new AtomicBoolean();
        return proxy(InboxTransaction.class, (proxy, method, arguments) -> {
            if (method.getName().equals("commit") && commitIsRefused.get()) {
                throw refusal.get();
            }
            if (arguments != null && writes.contains("commit after " + method.getName()) && isAbout(arguments)) {
                commitIsRefused.set(true);
            }
            if (arguments != null && writes.contains(method.getName()) && isAbout(arguments)) {
                throw refusal.get();
            }
            rememberKeys(arguments);
            return call(transaction, method, arguments);
        });
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private boolean isAbout(@Nullable Object[] arguments) {
        return Arrays.stream(arguments)
                .filter(Collection.class::isInstance)
                .flatMap(rows -> ((Collection<?>) rows).stream())
                .anyMatch(this::isAbout);
    }

    private boolean isAbout(Object row) {
        Message message = messageOf(row);
        return keys.contains(row)
                || (message != null && InboxLab.payload(message).equals(payload));
    }

    private void rememberKeys(@Nullable Object @Nullable [] arguments) {
        Arrays.stream(arguments == null ? new Object[0] : arguments)
                .filter(Collection.class::isInstance)
                .flatMap(rows -> ((Collection<?>) rows).stream())
                .filter(DeadLetter.class::isInstance)
                .filter(this::isAbout)
                .forEach(letter -> keys.add(((DeadLetter) letter).key()));
    }

    private static @Nullable Message messageOf(Object row) {
        if (row instanceof ParkedMessage parked) {
            return parked.message();
        }
        if (row instanceof ReceivedMessage received) {
            return received.message();
        }
        if (row instanceof DeadLetter letter) {
            return letter.message();
        }
        if (row instanceof PostponedItem postponed) {
            return postponed.item().message();
        }
        return row instanceof WorkItem item ? item.message() : null;
    }
}
