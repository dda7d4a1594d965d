package io.pigeonhole.network;

import io.pigeonhole.testkit.contract.BrokerFixture;

/** A broker that sources come to through a proxy, so that their connections can be cut and frozen. */
public abstract class ProxiedBroker implements BrokerFixture {
    /** For sources only; producers and those who count come to the broker itself. */
    protected final UnreliableProxy proxy;

    protected ProxiedBroker(int port) {
        this.proxy = UnreliableProxy.before(port);
    }

    @Override
    public void cut() {
        proxy.cut();
    }

    @Override
    public void freeze() {
        proxy.freeze();
    }

    @Override
    public void thaw() {
        proxy.thaw();
    }
}
