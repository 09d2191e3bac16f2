// Links of the pages: those to files of the project's root lead to their pages, and those to sources become text.
import { join, posix } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Files of the project's root that are pages of the site, with their names in `project/`. */
export const PROJECT_PAGES = new Map(
  ['README', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY'].map(name => [`${name}.md`, name.toLowerCase()])
)

/** Returns the folder that the links of a page start from, relative to the project. @param page such as `how-to/tls.md` */
const baseOf = page => (page.startsWith('project/') ? '' : posix.join('docs', posix.dirname(page)))

/**
 * Returns where a link leads on the site.
 * @param page path of the page within `docs/`
 * @param href as it is written
 * @returns undefined if the site does not have the target
 */
export const siteLink = (page, href) => {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [path, anchor] = href.split('#')
  const target = posix.join(baseOf(page), path)
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (PROJECT_PAGES.has(target)) return `/project/${PROJECT_PAGES.get(target)}${hash}`
  return /^docs\/.*\.(md|png|svg)$/.test(target) ? `/${target.slice('docs/'.length)}${hash}` : undefined
}

const withSiteLinks = (page, tokens) => {
  const result = []
  let isOpen = true
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = siteLink(page, token.attrGet('href'))
      isOpen = href !== undefined
      if (isOpen) token.attrSet('href', href)
    }
    if (token.type === 'image' && page.startsWith('project/'))
      token.attrSet('src', posix.relative('docs/project', token.attrGet('src')))
    if (isOpen || !token.type.startsWith('link_')) result.push(token)
    if (token.type === 'link_close') isOpen = true
  }
  return result
}

/** A plugin of markdown-it. */
export const siteLinks = md =>
  md.core.ruler.push('site_links', ({ tokens, env }) => {
    for (const token of tokens)
      if (token.children) token.children = withSiteLinks(env.relativePath, token.children)
  })
