// The site of the documentation leads to every page of it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { projectRoot } from './support/process.js'

interface Section {
  readonly items: readonly { readonly link: string }[]
}

const folder = join(projectRoot, 'docs')

test('the table of contents names each page once, and no other', async t => {
  const { href } = pathToFileURL(join(folder, '.vitepress/sections.mjs'))
  const { sections }: { readonly sections: readonly Section[] } = await import(href)
  const linked = sections.flatMap(({ items }) => items.map(({ link }) => link.slice(1)))
  const pages = readdirSync(folder)
    .filter(name => name.endsWith('.md') && name !== 'index.md' && name !== 'endpoints.md')
    .map(name => name.slice(0, -'.md'.length))
  t.deepEqual(linked.toSorted(), pages.toSorted())
})
