// Builds the page (or, with `unit`, the unit tests): one file, the same bytes from the same sources.
import { build } from "esbuild";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";

const shared = { bundle: true, charset: "utf8", legalComments: "none", logLevel: "warning", target: ["es2022"], jsx: "automatic", jsxImportSource: "preact" };

if (process.argv[2] === "unit") {
  const tests = (await readdir("unit")).filter((name) => name.endsWith(".test.ts")).map((name) => `unit/${name}`);
  await build({ ...shared, entryPoints: tests, outdir: "target/unit", outExtension: { ".js": ".mjs" }, platform: "node", format: "esm" });
} else if (process.argv[2] === "test") {
  await build({ ...shared, entryPoints: process.argv.slice(3), outdir: "target/test", outExtension: { ".js": ".mjs" }, platform: "node", format: "esm", packages: "external" });
} else {
  const script = await build({ ...shared, entryPoints: ["src/main.tsx"], write: false, minify: true, platform: "browser", format: "iife" });
  const style = await build({ ...shared, entryPoints: ["src/style.css"], write: false, minify: true });
  const template = await readFile("src/page.html", "utf8");
  // A function as replacement: `$&` in the script must stay what it is. `</script` would end the element.
  const page = template
    .replace("/*STYLE*/", () => style.outputFiles[0].text.trim())
    .replace("/*SCRIPT*/", () => script.outputFiles[0].text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"));
  await mkdir("dist", { recursive: true });
  await writeFile("dist/page.html", page);
  console.log(`dist/page.html: ${page.length} bytes`);
}
