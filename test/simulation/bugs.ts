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
  'ignored-check': {
    module: '/actors/kv.js',
    from: 'if (BigInt(rowOf(context, key)?.modifyIndex ?? 0) !== expected)',
    to: 'if (false)'
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
