import{c as a,d as b,e as c,f as d}from"./part-ZXENPBL6.js";import"./part-C5VO3I62.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
