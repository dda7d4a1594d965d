package io.pigeonhole.jackson;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.SerializableString;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.JsonParserDelegate;

/** Watches the names of objects while they are read, and refuses a second one of the same property. Used by one thread. */
final class PropertyNames extends JsonParserDelegate {
    private final Deque<Scope> scopes = new ArrayDeque<>();
    private int depth;

    private PropertyNames(JsonParser parser) {
        super(parser);
    }

    /** One for all objects that are read from a parser, however deep they are. */
    static PropertyNames of(JsonParser parser) {
        return parser instanceof PropertyNames names ? names : new PropertyNames(parser);
    }

    /** The object that the current token begins, or whose first name it is. */
    void enter(Map<String, String> properties, Class<?> type) {
        scopes.push(new Scope(depth, properties, type, new HashSet<>()));
        if (hasToken(JsonToken.PROPERTY_NAME)) {
            note(JsonToken.PROPERTY_NAME);
        }
    }

    /** Ends the object that was entered last. */
    void leave() {
        scopes.pop();
    }

    private @Nullable JsonToken note(@Nullable JsonToken token) {
        if (token == null) {
            return null;
        }
        if (token.isStructStart()) {
            depth++;
        } else if (token.isStructEnd()) {
            depth--;
        } else if (token == JsonToken.PROPERTY_NAME) {
            requireFirst(currentName());
        }
        return token;
    }

    private void requireFirst(String name) {
        Scope scope = scopes.peek();
        if (scope == null || scope.depth != depth) {
            return;
        }
        String property = scope.properties.get(name);
        if (property != null && !scope.seen.add(property)) {
            RefusedValueException refused = new RefusedValueException(
                    this, "two names of the object are of this property, and one value would be lost", scope.type);
            refused.prependPath(scope.type, property);
            throw refused;
        }
    }

    @Override
    public @Nullable JsonToken nextToken() {
        return note(super.nextToken());
    }

    @Override
    public @Nullable JsonToken nextValue() {
        JsonToken token = nextToken();
        return token == JsonToken.PROPERTY_NAME ? nextToken() : token;
    }

    @Override
    public @Nullable String nextName() {
        String name = super.nextName();
        note(currentToken());
        return name;
    }

    @Override
    public boolean nextName(SerializableString expected) {
        boolean isExpected = super.nextName(expected);
        note(currentToken());
        return isExpected;
    }

    @Override
    public int nextNameMatch(PropertyNameMatcher matcher) {
        int match = super.nextNameMatch(matcher);
        note(currentToken());
        return match;
    }

    @Override
    public JsonParser skipChildren() {
        if (currentToken() != null && currentToken().isStructStart()) {
            depth--;
        }
        super.skipChildren();
        return this;
    }

    /**
     * An object that is read.
     *
     * @param depth how deep it is
     * @param properties the properties of its type that have more than one name, by each of them
     * @param type what it is read as
     * @param seen those of which it has had a name
     */
    private record Scope(int depth, Map<String, String> properties, Class<?> type, Set<String> seen) {}
}
