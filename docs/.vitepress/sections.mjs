// The pages of the documentation in the order in which they are read.

/** An entry of the table of contents. @param name of the page, without its ending */
export const page = (text, name) => ({ text, link: `/${name}` })

export const sections = [
  {
    text: 'Begin',
    items: [
      page('Getting started', 'getting-started'),
      page('Configuration', 'configuration'),
      page('From Consul', 'from-consul'),
      page('Glossary', 'glossary')
    ]
  },
  {
    text: 'Use',
    items: [
      page('Command line', 'cli'),
      page('The pages at /ui', 'ui'),
      page('Rules', 'rules'),
      page('Auth methods', 'auth-methods'),
      page('Configuration entries', 'config-entries'),
      page('Transactions', 'transactions'),
      page('Event stream and cursors', 'stream'),
      page('Errors by code', 'errors'),
      page('Client', 'client'),
      page('Library', 'library')
    ]
  },
  {
    text: 'Operate',
    items: [
      page('Operations', 'operations'),
      page('The log', 'log'),
      page('Audit and proofs', 'evidence'),
      page('Observability', 'observability'),
      page('Several servers', 'cluster'),
      page('Workers', 'workers'),
      page('Several datacenters', 'datacenters'),
      page('Benchmarks', 'benchmarks')
    ]
  }
]
