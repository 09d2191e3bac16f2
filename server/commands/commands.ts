// The list of all commands.
import type { Build } from '../../clients/cli/remote/command.js'

interface CommandEntry {
  readonly summary: string
  readonly also?: string
  /** For programs: hidden in the help. */
  readonly isHidden?: true
  /** Loads the module of the command; only the running command is loaded. */
  readonly load: () => Promise<Build>
}

/** A command on the log, or the server, which need decorator support. */
const local = (summary: string, load: () => Promise<Build>): CommandEntry => ({
  summary,
  load: async () => {
    await import('reflect-metadata')
    return await load()
  }
})

const remote = (
  summary: string,
  load: () => Promise<Build>,
  notes: Pick<CommandEntry, 'also' | 'isHidden'> = {}
): CommandEntry => ({ summary, load, ...notes })

export const commandGroups: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  'Server:': {
    serve: local('Run a server.', async () => (await import('./serve.js')).buildServe),
    status: remote(
      'Show whether a server answers, who leads, and who asks.',
      async () => (await import('../../clients/cli/remote/status.js')).status
    ),
    debug: remote(
      'Write what helps to find out why a server is slow, large or wrong into one file.',
      async () => (await import('../../clients/cli/debug/command.js')).debug
    )
  },
  'Who may do what:': {
    bootstrap: remote(
      'Make the first management token, once.',
      async () => (await import('../../clients/cli/acl/login.js')).bootstrap
    ),
    login: remote(
      'Log in with an auth method: gives a token for a credential.',
      async () => (await import('../../clients/cli/acl/login.js')).login
    ),
    logout: remote(
      'End the token that asks, which a login has made.',
      async () => (await import('../../clients/cli/acl/login.js')).logout
    ),
    token: remote(
      'Make and change tokens: who may ask.',
      async () => (await import('../../clients/cli/acl/tokens.js')).tokenGroup
    ),
    policy: remote(
      'Make and change policies: what may be done.',
      async () => (await import('../../clients/cli/acl/policies.js')).policyGroup
    ),
    role: remote(
      'Make and change roles: policies and identities that tokens share.',
      async () => (await import('../../clients/cli/acl/roles.js')).roleGroup
    ),
    'auth-method': remote(
      'Make and change auth methods: ways to log in.',
      async () => (await import('../../clients/cli/acl/auth-methods.js')).authMethodGroup
    ),
    'binding-rule': remote(
      'Make and change binding rules: what logins give to whom.',
      async () => (await import('../../clients/cli/acl/binding-rules.js')).bindingRuleGroup
    ),
    explain: remote(
      'Tell why a token may or may not do something.',
      async () => (await import('../../clients/cli/acl/explain.js')).explain
    ),
    acl: remote(
      'All of the access control, under one name.',
      async () => (await import('../../clients/cli/acl/command.js')).acl
    )
  },
  'Keys:': {
    kv: remote('Read and write keys.', async () => (await import('../../clients/cli/kv/command.js')).kv),
    txn: remote(
      'Do several operations, all or none.',
      async () => (await import('../../clients/cli/kv/txn.js')).txn
    ),
    session: remote(
      'Make sessions, and end them: who holds locks.',
      async () => (await import('../../clients/cli/session/command.js')).session
    ),
    lock: remote(
      'Run a program while a lock is held.',
      async () => (await import('../../clients/cli/session/lock.js')).lock
    )
  },
  'Services:': {
    catalog: remote(
      'Show which nodes and services there are.',
      async () => (await import('../../clients/cli/catalog/command.js')).catalog
    ),
    health: remote(
      'Show the health of services and nodes.',
      async () => (await import('../../clients/cli/health/command.js')).health
    ),
    query: remote(
      'Make and execute prepared queries: which instances of a service are found.',
      async () => (await import('../../clients/cli/query/command.js')).query
    ),
    service: remote(
      'Register services at the server that is asked.',
      async () => (await import('../../clients/cli/service/command.js')).service,
      { also: 'services' }
    ),
    check: remote(
      'Tell the server what a check has found.',
      async () => (await import('../../clients/cli/check/command.js')).check
    )
  },
  'Configuration of services:': {
    config: remote(
      'Read and write the configuration of services.',
      async () => (await import('./config.js')).config
    ),
    chain: remote(
      'Show the way of requests to a service.',
      async () => (await import('../../clients/cli/config/chain.js')).chain
    ),
    intention: remote(
      'Show and change who may connect to which service.',
      async () => (await import('../../clients/cli/intention/command.js')).intention
    )
  },
  'Tenancy:': {
    namespace: remote(
      'Create, show and delete namespaces.',
      async () => (await import('../../clients/cli/tenancy/command.js')).namespace
    ),
    partition: remote(
      'Create, show and delete admin partitions.',
      async () => (await import('../../clients/cli/tenancy/command.js')).partition
    )
  },
  'What happened:': {
    events: remote(
      'Follow what happens, and who follows it.',
      async () => (await import('../../clients/cli/events/command.js')).events
    ),
    history: remote(
      'Show the versions of one resource: when, who, why, and what has changed.',
      async () => (await import('../../clients/cli/history/history.js')).history
    ),
    at: remote(
      'Print one resource as it was.',
      async () => (await import('../../clients/cli/history/history.js')).at
    ),
    diff: remote(
      'Show what has changed of one resource since a commit or time.',
      async () => (await import('../../clients/cli/history/history.js')).diff
    ),
    revert: remote(
      'Restore an earlier version of one resource.',
      async () => (await import('../../clients/cli/history/history.js')).revert
    ),
    watch: remote(
      'Run a program each time that something has changed.',
      async () => (await import('../../clients/cli/watch/command.js')).watch
    ),
    audit: remote(
      'Print what happened: who, when, why, and what was changed.',
      async () => (await import('../../clients/cli/events/audit.js')).audit
    ),
    erase: remote(
      'Erase what superseded and ended versions said.',
      async () => (await import('../../clients/cli/events/erase.js')).erase
    ),
    erasures: remote(
      'List what was ordered to be erased.',
      async () => (await import('../../clients/cli/events/erase.js')).erasures
    )
  },
  'Servers that run:': {
    members: remote(
      'List the servers of the cluster.',
      async () => (await import('../../clients/cli/operator/command.js')).members
    ),
    operator: remote(
      'Look after the servers of the cluster.',
      async () => (await import('../../clients/cli/operator/command.js')).operator
    ),
    monitor: remote(
      'Print the lines that a server writes into its own log.',
      async () => (await import('../../clients/cli/operator/command.js')).monitor
    ),
    snapshot: remote(
      'Save and restore everything.',
      async () => (await import('../../clients/cli/snapshot/command.js')).snapshot
    )
  },
  'From other servers:': {
    import: remote(
      'Import what other servers hold.',
      async () => (await import('../../clients/cli/import/consul.js')).importing
    )
  },
  'The log of a server:': {
    log: local(
      'Show, verify, export, back up, restore or repair the log of a server.',
      async () => (await import('./log.js')).buildLog
    ),
    evidence: local(
      'Check evidence that was exported from a log, on any machine.',
      async () => (await import('./evidence/command.js')).buildEvidence
    ),
    cluster: local(
      'Show a cluster of servers, join or leave it, or create it again after etcd was lost.',
      async () => (await import('./cluster.js')).buildCluster
    )
  },
  'This program:': {
    completion: remote(
      'Print the script with which a shell completes commands and flags.',
      async () => (await import('../../clients/cli/completion/command.js')).completion
    ),
    complete: remote(
      'Print possible completions of a command line.',
      async () => (await import('../../clients/cli/completion/command.js')).complete,
      { isHidden: true }
    ),
    openapi: local(
      'Print the description of the API (OpenAPI 3.1).',
      async () => (await import('./openapi.js')).buildOpenApi
    ),
    version: remote(
      'Print the version; so does --version.',
      async () => (await import('../../clients/cli/version.js')).buildVersion
    )
  }
}
