// docs/benchmarks.md: the figures of a run, their charts, and the commands to repeat them.

const number = value => Math.round(value).toLocaleString('en')
const ms = value => value.toFixed(value < 10 ? 2 : 1)

/** Creates the table of figures: a row for each scenario and number of connections. */
const tableOf = (figures, names) => {
  const servers = Object.keys(names).filter(name => figures.some(({ server }) => server === name))
  const rows = new Map()
  for (const figure of figures) {
    const key = `${figure.scenario} ${figure.connections}`
    rows.set(key, { ...rows.get(key), [figure.server]: figure, of: figure })
  }
  const heads = servers.flatMap(server => [`${names[server]}: requests/s`, 'p50 ms', 'p99 ms'])
  const lines = [...rows.values()].map(({ of, ...by }) => {
    const cells = servers.flatMap(server => {
      const figure = by[server]
      return figure ? [number(figure.rate), ms(figure.p50), ms(figure.p99)] : ['', '', '']
    })
    const ratio = by.Annals && by.bare ? by.Annals.ratio.toFixed(2) : ''
    return `| \`${of.scenario}\` | ${of.connections} | ${[...cells, ratio].join(' | ')} |`
  })
  return [
    `| Scenario | Connections | ${heads.join(' | ')} | of bare |`,
    `| --- | --: | ${heads.map(() => '--:').join(' | ')} | --: |`,
    ...lines
  ].join('\n')
}

const pictureText = ({ file, title }) => `![${title}](${file})`

/**
 * Creates the page.
 * @param run { figures, pictures: [{ file, title }], lines: by scenario, names, machine, busy, date, command, version }
 */
export const pageOf = ({ figures, pictures, lines, names, machine, busy, date, command, version }) => {
  const others = Object.entries(lines)
  return `# Benchmarks

Figures of version ${version}, taken on ${date} by \`${command}\`, which writes this page and its pictures. The machine: ${machine}. ${busy}

Each scenario has a server of its own on an empty data folder, with ACLs on. It runs in short rounds that alternate with those of a bare \`node:http\` server, a process of its own that answers the same bytes and does nothing for them: that is what Node itself
costs. Figures are the medians of the rounds, and _of bare_ is the median of the rounds’ ratios. The client has a process of its own on the same cores. A write is answered when it is on disk: \`token-create\` and \`txn-set-get\` wait for
the flush of this machine’s disk, which 64 connections share.

${pictures.map(pictureText).join('\n\n')}

${tableOf(figures, names)}
${others.length === 0 ? '' : `\n## Other measurements\n\n\`\`\`text\n${others.map(([, own]) => own.join('\n')).join('\n\n')}\n\`\`\`\n`}
## Repeat them

\`\`\`text
npm run bench                                # all scenarios, figures only
npm run bench -- kv-get token-create         # some of them
npm run bench -- --report                    # writes this page and its pictures
npm run bench -- --report --beside ./consul  # beside another server
\`\`\`

[bench/README.md](../bench/README.md) has the scenarios, the further options and the programs that measure streams, clusters, replication and workers.

\`--beside FILE\` takes the program of another server with the command line of \`consul agent\`: it is started alone, with ACLs on and a data folder of its own, is filled by the same requests and takes its turn in the rounds. A scenario that it has not is left out.
Requests bear no token that it knows; it is configured to take them for those of its management token.
`
}
