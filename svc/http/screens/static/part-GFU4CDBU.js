import{c as a,d as b,e as c,f as d}from"./part-F3CFKWLH.js";import"./part-XFBHASUJ.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
