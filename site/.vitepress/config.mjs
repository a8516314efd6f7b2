// The pages of docs, and the others that they link to, as a static site: make site.
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { defineConfig } from 'vitepress'

const root = resolve(import.meta.dirname, '..', '..')
const vue = resolve(import.meta.dirname, '..', 'node_modules', 'vue')
const linked = new Set() // files of the repository that pages link to, such as /docs/gallery/digits.py

// pages makes links to files of the repository that are no pages lead to their copies beside the pages. VitePress would take them for links
// to pages that do not exist. Indented lines are commands.
function pages(md) {
  md.core.ruler.push('pages', ({ tokens, env }) => {
    for (const token of tokens.filter((t) => t.type === 'code_block')) {
      Object.assign(token, { type: 'fence', tag: 'code', info: 'sh', markup: '```' })
    }
    for (const token of tokens.flatMap((t) => t.children ?? [])) {
      const link = token.type === 'link_open' ? token.attrGet('href') : ''
      if (!link || /^[a-z]+:|^#|\.md(#|$)/.test(link)) continue
      const file = '/' + join(dirname(env.relativePath), link)
      if (!existsSync(join(root, file))) continue
      linked.add(file)
      token.attrSet('href', file)
    }
  })
}

// sidebar lists the pages as docs/README.md does: a section per heading, an entry per row of its table.
function sidebar() {
  const sections = []
  for (const line of readFileSync(join(root, 'docs', 'README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) sections.push({ text: line.slice(3), items: [] })
    for (const [, text, link] of line.split('|')[1]?.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g) ?? []) {
      sections.at(-1).items.push({ text: text.replace(/\.md$/, ''), link: '/docs/' + link.replace(/README\.md$/, '').replace(/\.md$/, '') })
    }
  }
  return sections.filter((s) => s.items.length > 0)
}

export default defineConfig({
  title: 'unfold',
  description: 'A live map of a stream of vectors',
  srcDir: root,
  outDir: join(root, 'out', 'site'),
  cacheDir: join(root, 'out', 'site-cache'),
  srcExclude: ['{bench,cmd,ingest,models,out,python,site,sparse,stream,testdata,web}/**'],
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md', ':folder/:inner/README.md': ':folder/:inner/index.md' },
  markdown: { html: false, config: pages }, // html: a page may say <b without meaning HTML
  ignoreDeadLinks: [/^http:..localhost/, (link) => linked.has(link)],
  vite: { resolve: { alias: [{ find: /^vue(?=$|\/)/, replacement: vue }] } }, // pages lie outside of the folder that has node_modules
  themeConfig: { search: { provider: 'local' }, outline: [2, 3], nav: [{ text: 'Pages', link: '/docs/' }], sidebar: sidebar() },
  buildEnd({ outDir }) {
    for (const file of linked) cpSync(join(root, file), join(outDir, file), { recursive: true })
  },
})
