// Deliberate bugs, each switched on by its name (`--bug`), which the simulation must find.

/** A change of the product's source. */
export interface SourceChange {
  /** The end of the module's path. */
  readonly module: string
  /** What is replaced, at its first place. */
  readonly from: string
  readonly to: string
}

export const BUGS = {
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
  'refuted-acknowledged': {
    module: '/events/log/cluster/cluster-link.js',
    from: "=== 'refuted'",
    to: "=== 'never'"
  },
  'early-acknowledgement': {
    module: '/http/wire/request-pipeline.js',
    from: 'this.services.request.committer.isDurable()',
    to: 'true'
  },
  'unproved-reads': {
    module: '/server/cluster/members/member-policy.js',
    from: 'return untilNewest()',
    to: "return 'here'"
  },
  'unproved-worker': {
    module: '/server/cluster/workers/worker-port.js',
    from: 'if (this.isInCluster)\n            await this.#newest.ask();',
    to: ''
  },
  'hasty-leader': {
    module: '/server/cluster/workers/workers.js',
    from: 'main.committer.durable()',
    to: 'Promise.resolve()'
  },
  'early-fence': {
    module: '/server/cluster/members/cluster-dependencies.js',
    from: 'shown.untilApplied(index,',
    to: 'shown.untilApplied(index - 1,'
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
    from: 'if (BigInt(context.models.kv.get(context.tenancy, key)?.modifyIndex ?? 0) !== expected)',
    to: 'if (false)'
  },
  'failing-check': {
    module: '/actors/kv.js',
    from: 'BigInt(context.models.kv.get(context.tenancy, key)?.modifyIndex ?? 0)',
    to: 'BigInt(-1)'
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
    from: 'for (const { session } of this.views.sessions.all())\n            this.#begin(session);',
    to: ''
  },
  'skipped-commit': {
    module: '/http/stream/catch-up/source.js',
    from: 'from: next(), to',
    to: 'from: next() + 1, to'
  },
  'early-move': {
    module: '/actors/processes/cursor-positions.js',
    from: 'const moves = moved.map(',
    to: "settle('moved');\n            const moves = moved.map("
  },
  'forgotten-batch': {
    module: '/http/webhooks/delivery-run.js',
    from: 'this.#batchTo = input.batchTo',
    to: 'this.#batchTo = undefined'
  },
  'unaccepted-delivery': {
    module: '/actors/webhook/webhook-http.js',
    from: 'statusCode < 300',
    to: 'statusCode < 600'
  },
  'endless-remote-tokens': {
    module: '/server/cluster/datacenters/remote-token-cache.js',
    from: 'if (known && known.until > now)',
    to: 'if (known)'
  },
  'early-group-acknowledgement': {
    module: '/http/stream/groups/group-run.js',
    from: 'await this.#store.changed();\n        return settlement',
    to: 'this.#noteChange();\n        return settlement'
  },
  'unordered-key': {
    module: '/actors/processes/group-units.js',
    from: 'seen.add(unit.unit);',
    to: ''
  },
  'first-order-ignored': {
    module: '/actors/erasure/erasure-process.js',
    from: 'for (const order of durable)',
    to: 'for (const order of durable.slice(1))'
  },
  'partial-snapshot': {
    module: '/projections/restore-views.js',
    from: "if (text !== '')",
    to: "if (text !== '' && part !== 'kv')"
  },
  'passed-event': {
    module: '/actors/processes/cursor-leases.js',
    from: '.onHeld(this.positions.of(name) ?? queue.cursor.Index)',
    to: '.onHeld((this.positions.of(name) ?? queue.cursor.Index) + 1)'
  },
  'restless-query': {
    module: '/http/wire/reads/blocking.js',
    from: 'if (index === 0 || state.index > index)',
    to: 'if (index === 0 || state.index >= index)'
  },
  'late-moment': {
    module: '/http/history/historical-state-reader.js',
    from: 'versions.newest(resource, index)',
    to: 'versions.newest(resource, index + 1)'
  },
  'forgotten-cursors': {
    module: '/actors/processes/log-retention.js',
    from: 'bytes <= maxBytes',
    to: 'false'
  },
  'accepted-damage': {
    module: '/events/log/record-parts.js',
    from: 'if (isChecked || this.holds(',
    to: 'if (true || this.holds('
  }
} satisfies Readonly<Record<string, SourceChange>>

/** @throws Error for an unknown name */
export const bugOf = (name: string): SourceChange => {
  const bug: SourceChange | undefined = new Map(Object.entries(BUGS)).get(name)
  if (!bug) throw new Error(`unknown bug ${name}: known are ${Object.keys(BUGS).join(', ')}`)
  return bug
}

/** @throws Error if the place of the change is not found */
export const changedSource = (source: string, { module, from, to }: SourceChange): string => {
  if (!source.includes(from)) throw new Error(`the place of a change is not in ${module}: ${from}`)
  return source.replace(from, () => to)
}
