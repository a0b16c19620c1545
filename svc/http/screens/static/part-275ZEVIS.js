import{c as a,d as b,e as c,f as d}from"./part-23D2VHQP.js";import"./part-CZIJP65P.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
