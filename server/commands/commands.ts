import type { Build } from '../../clients/cli/remote/command.js'

interface Notes {
  readonly also?: string
  /** For programs: hidden in the help. */
  readonly isHidden?: true
}

interface CommandEntry extends Notes {
  readonly summary: string
  /** Loads the module of the command; only the running command is loaded. */
  readonly load: () => Promise<Build>
}

/** Returns the commands of a module, given the summary, or name and summary, of each export. */
const from = <Exported extends string>(
  load: () => Promise<Readonly<Record<NoInfer<Exported>, Build>>>,
  summaries: Readonly<Record<Exported, string | readonly [name: string, summary: string]>>,
  notes: Notes = {}
): Readonly<Record<string, CommandEntry>> => {
  const entries: Record<string, CommandEntry> = {}
  for (const exported in summaries) {
    const named = summaries[exported]
    const [name, summary] = typeof named === 'string' ? [exported, named] : named
    entries[name] = { summary, ...notes, load: async () => (await load())[exported] }
  }
  return entries
}

export const commandGroups: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  'Server:': {
    ...from(() => import('./serve.js'), {
      buildServe: ['serve', 'Run a server.']
    }),
    ...from(() => import('../../clients/cli/remote/status.js'), {
      status: 'Show whether a server answers, who leads, and who asks.'
    }),
    ...from(() => import('../../clients/cli/debug/command.js'), {
      debug: 'Write what helps to find out why a server is slow, large or wrong into one file.'
    })
  },
  'Who may do what:': {
    ...from(() => import('../../clients/cli/acl/login.js'), {
      bootstrap: 'Make the first management token, once.',
      login: 'Log in with an auth method: gives a token for a credential.',
      logout: 'End the token that asks, which a login has made.'
    }),
    ...from(() => import('../../clients/cli/acl/tokens.js'), {
      tokenGroup: ['token', 'Create, show, update and delete tokens, which authenticate requests.']
    }),
    ...from(() => import('../../clients/cli/acl/policies.js'), {
      policyGroup: ['policy', 'Create, show, update and delete policies, which grant permissions.']
    }),
    ...from(() => import('../../clients/cli/acl/roles.js'), {
      roleGroup: [
        'role',
        'Create, show, update and delete roles, which group policies and identities for tokens.'
      ]
    }),
    ...from(() => import('../../clients/cli/acl/auth-methods.js'), {
      authMethodGroup: [
        'auth-method',
        'Create, show, update and delete auth methods, with which users and programs log in.'
      ]
    }),
    ...from(() => import('../../clients/cli/acl/binding-rules.js'), {
      bindingRuleGroup: [
        'binding-rule',
        'Create, show, update and delete binding rules, which grant permissions to logins.'
      ]
    }),
    ...from(() => import('../../clients/cli/acl/explain.js'), {
      explain: 'Tell why a token may or may not do something.'
    }),
    ...from(() => import('../../clients/cli/acl/command.js'), {
      acl: 'All of the access control, under one name.'
    })
  },
  'Keys:': {
    ...from(() => import('../../clients/cli/kv/command.js'), { kv: 'Read and write keys.' }),
    ...from(() => import('../../clients/cli/kv/txn.js'), { txn: 'Do several operations, all or none.' }),
    ...from(() => import('../../clients/cli/session/command.js'), {
      session: 'Make sessions, and end them: who holds locks.'
    }),
    ...from(() => import('../../clients/cli/session/lock.js'), {
      lock: 'Run a program while a lock is held.'
    })
  },
  'Services:': {
    ...from(() => import('../../clients/cli/catalog/command.js'), {
      catalog: 'Show which nodes and services there are.'
    }),
    ...from(() => import('../../clients/cli/health/command.js'), {
      health: 'Show the health of services and nodes.'
    }),
    ...from(() => import('../../clients/cli/query/command.js'), {
      query: 'Make and execute prepared queries: which instances of a service are found.'
    }),
    ...from(
      () => import('../../clients/cli/service/command.js'),
      { service: 'Register services at the server that is asked.' },
      { also: 'services' }
    ),
    ...from(() => import('../../clients/cli/check/command.js'), {
      check: 'Tell the server what a check has found.'
    })
  },
  'Configuration of services:': {
    ...from(() => import('./config.js'), { config: 'Read and write the configuration of services.' }),
    ...from(() => import('../../clients/cli/config/chain.js'), {
      chain: 'Show the way of requests to a service.'
    }),
    ...from(() => import('../../clients/cli/intention/command.js'), {
      intention: 'Show and change who may connect to which service.'
    })
  },
  'Tenancy:': {
    ...from(() => import('../../clients/cli/tenancy/command.js'), {
      namespace: 'Create, show, update and delete namespaces.',
      partition: 'Create, show, update and delete admin partitions.'
    })
  },
  'What happened:': {
    ...from(() => import('../../clients/cli/events/command.js'), {
      events: 'Follow what happens, and who follows it.'
    }),
    ...from(() => import('../../clients/cli/history/history.js'), {
      history: 'Show the versions of one resource: when, who, why, and what has changed.',
      at: 'Print one resource as it was.',
      diff: 'Show what has changed of one resource since a commit or time.',
      revert: 'Restore an earlier version of one resource.'
    }),
    ...from(() => import('../../clients/cli/watch/command.js'), {
      watch: 'Run a program each time that something has changed.'
    }),
    ...from(() => import('../../clients/cli/events/audit.js'), {
      audit: 'Print what happened: who, when, why, and what was changed.'
    }),
    ...from(() => import('../../clients/cli/events/erase.js'), {
      erase: 'Erase what superseded and ended versions said.',
      erasures: 'List what was ordered to be erased.'
    })
  },
  'Servers that run:': {
    ...from(() => import('../../clients/cli/operator/command.js'), {
      members: 'List the servers of the cluster.',
      operator: 'Look after the servers of the cluster.',
      monitor: 'Print the lines that a server writes into its own log.'
    }),
    ...from(() => import('../../clients/cli/snapshot/command.js'), {
      snapshot: 'Save and restore everything.'
    })
  },
  'From other servers:': {
    ...from(() => import('../../clients/cli/import/consul.js'), {
      importing: ['import', 'Import what other servers hold.']
    })
  },
  'The log of a server:': {
    ...from(() => import('./log.js'), {
      buildLog: ['log', 'Show, verify, export, back up, restore or repair the log of a server.']
    }),
    ...from(() => import('./evidence/command.js'), {
      buildEvidence: ['evidence', 'Check evidence that was exported from a log, on any machine.']
    }),
    ...from(() => import('./cluster.js'), {
      buildCluster: [
        'cluster',
        'Show a cluster of servers, join or leave it, or create it again after etcd was lost.'
      ]
    })
  },
  'This program:': {
    ...from(() => import('../../clients/cli/completion/command.js'), {
      completion: 'Print the script with which a shell completes commands and flags.'
    }),
    ...from(
      () => import('../../clients/cli/completion/command.js'),
      { complete: 'Print possible completions of a command line.' },
      { isHidden: true }
    ),
    ...from(() => import('./openapi.js'), {
      buildOpenApi: ['openapi', 'Print the description of the API (OpenAPI 3.1).']
    }),
    ...from(() => import('../../clients/cli/version.js'), {
      buildVersion: ['version', 'Print the version; so does --version.']
    })
  }
}
