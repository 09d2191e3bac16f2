// Deliberate bugs, each switched on by its name (`--bug`), which the simulation must find.

export interface Bug {
  /** The end of the module's path. */
  readonly module: string
  /** What is replaced, at its first place. */
  readonly from: string
  readonly to: string
}

export const BUGS: Readonly<Record<string, Bug>> = {
  'lost-answer-refused': {
    module: '/events/log/etcd/appender.js',
    from: 'attempt.unanswered = true',
    to: "throw new WriteFailure(failure.message, 'unchanged', { cause: failure })"
  },
  'ended-term-stored': {
    module: '/events/log/etcd/appender.js',
    from: "sameHash(end, before))\n            return 'refuted'",
    to: "sameHash(end, before))\n            return 'stored'"
  },
  'blind-append': {
    module: '/events/log/etcd/appender.js',
    from: 'compare: [...isStillLeader(this.context.keys, term), etcd.valueIs(head, headValue(before, cluster))]',
    to: 'compare: []'
  },
  'unfenced-append': {
    module: '/events/log/etcd/appender.js',
    from: 'compare: [...isStillLeader(this.context.keys, term), etcd.valueIs(head',
    to: 'compare: [etcd.valueIs(head'
  },
  'unchecked-head': {
    module: '/events/log/etcd/appender.js',
    from: 'etcd.valueIs(head, headValue(before, cluster))]',
    to: ']'
  },
  'refuted-acknowledged': {
    module: '/events/log/cluster/cluster-link.js',
    from: "=== 'refuted'",
    to: "=== 'never'"
  },
  'shared-running-read': {
    module: '/events/log/etcd/coalesced-reads.js',
    from: 'return (this.#next ??= this.#sent.then(sendNext, sendNext))',
    to: 'return this.#sent'
  },
  'ignored-gap': {
    module: '/events/log/etcd/shared-log-watcher.js',
    from: 'if (first > this.next)',
    to: 'if (false)'
  },
  'unguarded-election': {
    module: '/events/log/etcd/membership.js',
    from: 'else if (leader)',
    to: 'else if (false)'
  },
  'stolen-leadership': {
    module: '/events/log/etcd/membership.js',
    from: 'compare: [etcd.isAbsent(keys.leader), etcd.valueIs',
    to: 'compare: [etcd.valueIs'
  },
  'long-lease': {
    module: '/actors/processes/leadership.js',
    from: 'clock.elapsed() < membership.validUntil - LEASE_MARGIN_MS',
    to: 'true'
  },
  'early-leader': {
    module: '/actors/processes/leadership.js',
    from: '// While the term lasts, no other server appends.\n            await this.#followUntil((await verifySharedLog(log, shared)).head.index, signal);',
    to: ''
  },
  'early-acknowledgement': {
    module: '/http/wire/request-pipeline.js',
    from: 'this.services.request.committer.isDurable()',
    to: 'true'
  },
  'unproved-reads': {
    module: '/server/cluster/members/member-policy.js',
    from: "return untilNewest().then(() => 'here')",
    to: "return 'here'"
  },
  'early-fence': {
    module: '/server/cluster/members/server-cluster.js',
    from: 'shown.untilApplied(head.index,',
    to: 'shown.untilApplied(head.index - 1,'
  },
  'repeated-forwarding': {
    module: '/server/cluster/members/leader-requests.js',
    from: 'if (isDoubtful && !canRetry(asked))',
    to: 'if (false)'
  },
  'forgotten-idempotency': {
    module: '/http/wire/idempotency/keyed-writes.js',
    from: 'const index = this.views.keptAnswers.find(name);',
    to: 'const index = undefined;'
  },
  'missed-apply': {
    module: '/actors/committer.js',
    from: 'this.views.apply(commit);\n            this.#announce(commit);',
    to: 'if (commit.Index % 50 !== 0)\n                this.views.apply(commit);\n            this.#announce(commit);'
  },
  'unsettled-views': {
    module: '/actors/committer.js',
    from: 'await this.#restore(this.views);',
    to: ''
  },
  'ignored-check': {
    module: '/actors/kv.js',
    from: 'if (BigInt(rowOf(context, key)?.modifyIndex ?? 0) !== expected)',
    to: 'if (false)'
  },
  'stolen-lock': {
    module: '/actors/kv.js',
    from: "if (holder !== '' && holder !== session)",
    to: 'if (false)'
  },
  'foreign-release': {
    module: '/actors/kv.js',
    from: 'if (before?.session !== session)',
    to: "if (!before || before.session === '')"
  },
  'early-session-end': {
    module: '/actors/processes/session-expiration.js',
    from: 'const GRACE = 2',
    to: 'const GRACE = 0.5'
  },
  'endless-sessions': {
    module: '/actors/processes/session-expiration.js',
    from: 'this.#begin(session);\n    }',
    to: '}'
  },
  'skipped-commit': {
    module: '/http/stream/catch-up/source.js',
    from: 'from: next(), to',
    to: 'from: next() + 1, to'
  },
  'restless-query': {
    module: '/http/wire/reads/blocking.js',
    from: 'if (index === 0 || state.index > index)',
    to: 'if (index === 0 || state.index >= index)'
  },
  'accepted-damage': {
    module: '/events/log/record-parts.js',
    from: 'if (this.isChecked || this.holds(',
    to: 'if (true || this.holds('
  }
}

/** @throws Error for an unknown name */
export const bugOf = (name: string): Bug => {
  const bug = BUGS[name]
  if (!bug) throw new Error(`unknown bug ${name}: known are ${Object.keys(BUGS).join(', ')}`)
  return bug
}

/** Returns the source of a module with a bug in it. @throws Error if its place is not found */
export const withBug = (source: string, { module, from, to }: Bug): string => {
  if (!source.includes(from)) throw new Error(`the place of the bug is not in ${module}: ${from}`)
  return source.replace(from, () => to)
}
