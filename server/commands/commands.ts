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
    ...from(() => import('./replica.js'), {
      buildReplica: [
        'replica',
        'Run a read-only copy of a server or a published log, which verifies every commit.'
      ]
    }),
    ...from(() => import('../../clients/cli/remote/status.js'), {
      status: 'Show the server, its leader, and the context and token of the request.'
    }),
    ...from(() => import('./doctor.js'), {
      doctor: 'Check connection, clock, TLS, token, versions, disk and cluster, and name the fixes.'
    }),
    ...from(() => import('../../clients/cli/browser/command.js'), {
      ui: 'Open the web UI in the browser, signed in with the token of the request.'
    }),
    ...from(() => import('../../clients/cli/debug/command.js'), {
      debug: 'Collect diagnostics of a server into one file.'
    })
  },
  'Access control:': {
    ...from(() => import('../../clients/cli/acl/login.js'), {
      bootstrap: 'Create the first management token. This works once.',
      login: 'Log in with an auth method, which exchanges a credential for a token.',
      logout: 'Log out: delete the token of the login.'
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
      explain: 'Explain why a token has or lacks a permission.'
    }),
    ...from(() => import('../../clients/cli/acl/command.js'), {
      acl: 'All commands of access control, as in consul acl.'
    })
  },
  'Keys and locks:': {
    ...from(() => import('../../clients/cli/kv/command.js'), { kv: 'Read and write keys.' }),
    ...from(() => import('../../clients/cli/kv/txn.js'), { txn: 'Execute several operations atomically.' }),
    ...from(() => import('../../clients/cli/session/command.js'), {
      session: 'Create, show, renew and end sessions, which hold locks.'
    }),
    ...from(() => import('../../clients/cli/session/lock.js'), {
      lock: 'Run a program while holding a lock.'
    })
  },
  'Services:': {
    ...from(() => import('../../clients/cli/catalog/command.js'), {
      catalog: 'Show and register nodes and services.'
    }),
    ...from(() => import('../../clients/cli/health/command.js'), {
      health: 'Show the health of services and nodes.'
    }),
    ...from(() => import('../../clients/cli/query/command.js'), {
      query: 'Create, show, update, delete and execute prepared queries.'
    }),
    ...from(
      () => import('../../clients/cli/service/command.js'),
      { service: 'Register services at the agent of the server.' },
      { also: 'services' }
    ),
    ...from(() => import('../../clients/cli/check/command.js'), {
      check: 'Report the result of a check.'
    })
  },
  'Service configuration:': {
    ...from(() => import('./config.js'), {
      config: 'Read, write, compare and delete configuration entries.'
    }),
    ...from(() => import('../../clients/cli/config/chain.js'), {
      chain: 'Show the compiled discovery chain of a service.'
    }),
    ...from(() => import('../../clients/cli/intention/command.js'), {
      intention: 'Create, show and delete intentions, which allow or deny connections between services.'
    })
  },
  'Tenancy:': {
    ...from(() => import('../../clients/cli/tenancy/command.js'), {
      namespace: 'Create, show, update and delete namespaces.',
      partition: 'Create, show, update and delete admin partitions.'
    })
  },
  'History and audit:': {
    ...from(() => import('../../clients/cli/events/command.js'), {
      events: 'Follow the event stream, and show its readers.'
    }),
    ...from(() => import('../../clients/cli/search/command.js'), {
      search: 'Find resources of all kinds by a part of their name, key, ID or description.'
    }),
    ...from(() => import('../../clients/cli/history/history.js'), {
      history: 'Show the versions of a resource, with time, author, reason and changes.',
      at: 'Print a resource at a point in time.',
      diff: 'Show the differences between two versions of a resource.',
      revert: 'Restore a resource to an earlier version.'
    }),
    ...from(() => import('../../clients/cli/watch/command.js'), {
      watch: 'Run a program after each change of a key or service.'
    }),
    ...from(() => import('./audit/command.js'), {
      buildAudit: ['audit', 'Print the audit log: commits with author, time, reason and changes.']
    }),
    ...from(() => import('../../clients/cli/events/erase.js'), {
      erase: 'Erase the contents of superseded versions.',
      erasures: 'List erasures and their progress.'
    }),
    ...from(() => import('../../clients/cli/events/holds.js'), {
      holds: ['hold', 'Keep commits from retention and erasure.']
    })
  },
  'Operations:': {
    ...from(() => import('../../clients/cli/operator/command.js'), {
      members: 'List the servers of the cluster with address, role and version.',
      operator: 'Manage the servers of the cluster.',
      monitor: 'Print the log messages of a server.'
    }),
    ...from(() => import('../../clients/cli/snapshot/command.js'), {
      snapshot: 'Save, restore and inspect snapshots.'
    })
  },
  'Configuration as files:': {
    ...from(() => import('../../clients/cli/changes/plan.js'), {
      plan: 'Compare files that declare resources with the server.'
    }),
    ...from(() => import('../../clients/cli/changes/apply.js'), {
      apply: 'Make the changes of a plan, or of files that declare resources.'
    }),
    ...from(() => import('../../clients/cli/changes/export.js'), {
      exporting: ['export', 'Write resources to files that declare them.']
    })
  },
  'Migration:': {
    ...from(() => import('../../clients/cli/import/consul.js'), {
      importing: ['import', 'Import the resources of a Consul server.']
    })
  },
  'Log files and clusters:': {
    ...from(() => import('./log.js'), {
      buildLog: ['log', 'Show, verify, export, back up, restore or repair a log.']
    }),
    ...from(() => import('./evidence/command.js'), {
      buildEvidence: ['evidence', 'Verify evidence that was exported from a log.']
    }),
    ...from(() => import('./cluster.js'), {
      buildCluster: ['cluster', 'Show, join or leave a cluster, or restore it after the loss of etcd.']
    })
  },
  'This program:': {
    ...from(() => import('../../clients/cli/contexts/command.js'), {
      contextGroup: ['context', 'Store the address, CA, token file and namespace of servers under names.']
    }),
    ...from(() => import('../../clients/cli/completion/command.js'), {
      completion: 'Print the completion script of a shell.'
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
      buildVersion: ['version', 'Print the version.']
    })
  }
}
