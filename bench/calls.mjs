// Counts the calls of this build's functions in another process. Loaded there with `--import` by `bench/trace.mjs`, which asks for counts.
import { registerHooks } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'

const root = process.env.TRACED_BUILD
const functions = []
let entries = []
let isCounting = false

/** The file of the function that called the one that is entered; empty for those of Node and of libraries. */
const callerFile = () => {
  const holder = {}
  Error.prepareStackTrace = (_, sites) => sites[2]?.getFileName() ?? ''
  Error.captureStackTrace(holder, callerFile)
  const { stack } = holder
  Error.prepareStackTrace = undefined
  return stack
}

globalThis.annalsEnters = id => {
  if (!isCounting) return
  isCounting = false
  entries.push([id, callerFile()])
  isCounting = true
}

/** The name that a function is known by where it is declared. */
const nameOf = (node, parent) => {
  const name = node.id ?? parent?.key ?? parent?.id
  return name?.name ?? '(anonymous)'
}

const instrumented = (source, path) => {
  const edits = []
  const visit = (node, parent) => {
    if (Array.isArray(node)) return node.forEach(each => visit(each, parent))
    if (typeof node?.type !== 'string') return
    if (/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type) && node.body) {
      const id = functions.push({ path, name: nameOf(node, parent) }) - 1
      const { start, end, type } = node.body
      if (type === 'BlockStatement') edits.push([start + 1, `annalsEnters(${id});`])
      else edits.push([start, `(annalsEnters(${id}),`], [end, ')'])
    }
    for (const [key, child] of Object.entries(node)) if (key !== 'parent') visit(child, node)
  }
  visit(parseAst(source), undefined)
  edits.sort(([a], [b]) => a - b)
  let at = 0
  const pieces = edits.map(([position, text]) => {
    const piece = source.slice(at, position) + text
    at = position
    return piece
  })
  return pieces.join('') + source.slice(at)
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(`${root}/`)) return loaded
    const path = fileURLToPath(url)
    return { ...loaded, source: instrumented(Buffer.from(loaded.source).toString(), relative(root, path)) }
  }
})

process.on('message', message => {
  if (message === 'begin') {
    entries = []
    isCounting = true
    process.send('begun')
  } else {
    isCounting = false
    const ofBuild = file => (file.startsWith('file:') ? relative(root, fileURLToPath(file)) : '')
    process.send(entries.map(([id, from]) => ({ ...functions[id], from: ofBuild(from) })))
  }
})
process.channel.unref()
