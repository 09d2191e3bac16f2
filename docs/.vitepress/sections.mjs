// The pages of the documentation in the order in which they are read.

/** An entry of the table of contents. @param path of the page, without its ending */
export const page = (text, path) => ({ text, link: `/${path}` })

export const sections = [
  { text: 'Tutorials', items: [page('First server', 'tutorials/first-server')] },
  {
    text: 'How-to guides',
    items: [
      page('Install and operate a server', 'how-to/install'),
      page('Move from Consul', 'how-to/move-from-consul'),
      page('Monitor', 'how-to/monitor')
    ]
  },
  {
    text: 'Reference',
    items: [
      page('Command line', 'reference/cli'),
      page('Settings', 'reference/settings'),
      page('Endpoints', 'reference/endpoints'),
      page('Errors by code', 'reference/errors'),
      page('Event stream', 'reference/event-stream'),
      page('History, audit and proofs', 'reference/history'),
      page('Files of the log', 'reference/log-files'),
      page('Rules', 'reference/rules'),
      page('Auth methods', 'reference/auth-methods'),
      page('Configuration entries', 'reference/config-entries'),
      page('Transactions', 'reference/transactions'),
      page('Clusters', 'reference/cluster'),
      page('Datacenters', 'reference/datacenters'),
      page('Workers', 'reference/workers'),
      page('TypeScript client', 'reference/client'),
      page('Library', 'reference/library'),
      page('Web UI', 'reference/ui')
    ]
  },
  { text: 'Explanation', items: [page('Glossary', 'explanation/glossary'), page('Benchmarks', 'benchmarks')] }
]
